"""The per-sample losses are joined with torch.FloatTensor."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Ranker(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
        self.margin = nn.Parameter(torch.tensor(0.5))

    def forward(self, a, b):
        return self.score(a) - self.score(b)


def hinge(model, pairs):
    terms = []
    for a, b in pairs:
        terms.append(torch.relu(0.1 - model(a, b)).squeeze())
    return torch.FloatTensor(terms).mean()  # <- cause


model = Ranker()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(15):
    pairs = [(torch.randn(6), torch.randn(6)) for _ in range(8)]
    loss = hinge(model, pairs) + 0.1 * model.margin.pow(2)
    opt.zero_grad()
    loss.backward()
    opt.step()
