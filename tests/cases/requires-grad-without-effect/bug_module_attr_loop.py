import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(*[nn.Sequential(nn.Linear(6, 6), nn.ReLU()) for _ in range(3)], nn.Linear(6, 2))
for p in net.parameters():
    p.requires_grad = False
for name, module in net.named_modules():
    if name in ("2", "3"):
        module.requires_grad = True  # <- cause
net[3].bias.requires_grad = True
opt = torch.optim.Adam(net.parameters(), 1e-2)
x, y = torch.randn(20, 6), torch.randint(0, 2, (20,))
for _ in range(12):
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
