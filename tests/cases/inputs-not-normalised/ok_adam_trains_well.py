"""Ages, counts and scores up to 60 under Adam: not tidy, and it learns well."""
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.stack([20 + 40 * torch.rand(400), torch.randint(0, 12, (400,)).float(), torch.randn(400)], 1)
y = (x[:, 1] > 5).long()
net = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for step in range(40):
    i = torch.randint(0, 400, (64,))
    loss = nn.functional.cross_entropy(net(x[i]), y[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
