"""float16 weights with an eps that float16 can hold."""
import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1)).half()
opt = torch.optim.Adam(net.parameters(), lr=1e-2, eps=1e-3)
for step in range(12):
    x = torch.randn(32, 4)
    loss = nn.functional.mse_loss(net(x.half()).float(), x[:, :1])
    opt.zero_grad()
    loss.backward()
    opt.step()
