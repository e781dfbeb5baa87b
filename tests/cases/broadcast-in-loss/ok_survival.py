"""Cox's partial likelihood: a risk set over all pairs, and an energy distance."""
import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 16), nn.SELU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(12):
    x, time = torch.randn(20, 5), torch.rand(20)
    event = (torch.rand(20) < 0.7).float()
    theta = model(x).reshape(-1)
    at_risk = (time[None, :] >= time[:, None]).float()
    likelihood = theta - torch.log((theta.exp() * at_risk).sum(1))
    cox = -(likelihood * event).mean()
    real = torch.randn(20)
    energy = (theta[:, None] - real[None, :]).abs().mean() - 0.5 * (theta[:, None] - theta[None, :]).abs().mean()
    loss = cox + 0.1 * energy
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
