import torch
import torch.nn as nn

torch.manual_seed(0)


def prune(model, keep):
    old = model[0]
    idx = old.weight.abs().sum(1).topk(keep)[1]
    lin = nn.Linear(old.in_features, keep)  # <- cause
    lin.weight.data = old.weight.data[idx].clone()
    lin.bias.data = old.bias.data[idx].clone()
    nxt = nn.Linear(keep, model[2].out_features)  # <- cause
    nxt.weight.data = model[2].weight.data[:, idx].clone()
    model[0], model[2] = lin, nxt  # <- cause


model = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(model.parameters(), 1e-2)  # <- cause
x = torch.randn(40, 5)
y = x.prod(1, keepdim=True)


def run(n):
    for _ in range(n):
        opt.zero_grad()
        loss = (model(x) - y).pow(2).mean()
        loss.backward()
        opt.step()


run(4)
prune(model, 16)  # <- cause
run(14)
