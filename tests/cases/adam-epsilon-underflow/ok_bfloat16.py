"""bfloat16 has the range of float32: 1e-8 is no problem there (a large rate, so that no update is lost)."""
import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1)).to(torch.bfloat16)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(12):
    x = torch.randn(32, 4)
    loss = nn.functional.mse_loss(net(x.bfloat16()).float(), x[:, :1])
    opt.zero_grad()
    loss.backward()
    opt.step()
