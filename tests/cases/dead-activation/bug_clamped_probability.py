"""Outputs in the hundreds are clamped to [0, 1]."""
import torch
import torch.nn as nn

torch.manual_seed(0)


def predict(model, ages):
    score = model(ages)
    return score.clamp(0.0, 1.0)  # <- cause


model = nn.Sequential(nn.Linear(1, 8), nn.Softplus(), nn.Linear(8, 1))
with torch.no_grad():
    model[0].weight.copy_(model[0].weight.abs())
    model[2].weight.copy_(model[2].weight.abs())
opt = torch.optim.SGD(model.parameters(), lr=1e-3)
ages = torch.randint(20, 90, (200, 1)).float()
sick = (ages > 60).float()
for step in range(15):
    idx = torch.randint(0, 200, (32,))
    loss = (predict(model, ages[idx]) - sick[idx]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
