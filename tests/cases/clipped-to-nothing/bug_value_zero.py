"""clip_grad_value_ with 0 where a threshold was meant."""
import torch
import torch.nn as nn
from torch.nn.utils import clip_grad_value_

torch.manual_seed(0)
model = nn.LSTM(2, 8, batch_first=True)
out = nn.Linear(8, 1)
params = [*model.parameters(), *out.parameters()]
opt = torch.optim.Adam(params, lr=1e-2)
for step in range(15):
    x = torch.randn(8, 6, 2)
    loss = (out(model(x)[0][:, -1]) - x.sum((1, 2))[:, None]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    clip_grad_value_(params, clip_value=int(0.5))  # <- cause
    opt.step()
