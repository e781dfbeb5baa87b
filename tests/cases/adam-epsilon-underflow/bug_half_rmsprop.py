"""RMSprop keeps its mean square in float16 too, and 1e-8 is 0 there."""
import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16, dtype=torch.float16), nn.Tanh(), nn.Linear(16, 1, dtype=torch.float16))  # <- cause
opt = torch.optim.RMSprop(net.parameters(), lr=1e-3)  # <- cause
for step in range(12):
    x = torch.randn(32, 4)
    loss = nn.functional.mse_loss(net(x.half()).float(), 0.01 * x[:, :1])
    opt.zero_grad()
    loss.backward()
    opt.step()
