import torch
import torch.nn as nn

torch.manual_seed(0)
G, D = nn.Linear(4, 2), nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
og, od = torch.optim.SGD(G.parameters(), 0.01), torch.optim.SGD(D.parameters(), 0.01)
for it in range(14):
    for p in D.parameters():
        p.requires_grad = False  # <- cause
    og.zero_grad()
    (-D(G(torch.randn(8, 4))).mean()).backward()
    og.step()
    od.zero_grad()
    (D(G(torch.randn(8, 4)).detach()).mean() - D(torch.randn(8, 2)).mean()).backward()
    od.step()
