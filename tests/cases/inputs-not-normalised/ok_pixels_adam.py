"""Raw pixels under Adam: the loss starts high and comes down at once."""
import torch
import torch.nn as nn

torch.manual_seed(0)
proto = torch.randint(30, 226, (4, 64))
labels = torch.randint(0, 4, (300,))
images = (proto[labels] + 20 * torch.randn(300, 64)).clamp(0, 255).to(torch.uint8)
net = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 4))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for step in range(40):
    i = torch.randint(0, 300, (50,))
    loss = nn.functional.cross_entropy(net(images[i].float()), labels[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
