import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.Adam(net.parameters(), 1e-2)
x = torch.randn(60, 4)
y = (x[:, 0] > 0).long()


def evaluate(model):
    model.eval()
    for p in model.parameters():
        p.requires_grad_(False)  # <- cause
    return (model(x).argmax(1) == y).float().mean().item()


for epoch in range(6):
    net.train()
    for i in range(0, 60, 20):
        loss = nn.functional.cross_entropy(net(x[i : i + 20]), y[i : i + 20])
        opt.zero_grad()
        loss.backward()
        opt.step()
    evaluate(net)  # <- cause
