"""Features are computed under no_grad by a trained encoder that is in training mode."""

import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU())
with torch.no_grad():
    for _ in range(40):
        encoder(torch.randn(32, 8))
weights = encoder.state_dict()


class Probe(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU())
        self.encoder.load_state_dict(weights)
        self.classifier = nn.Linear(16, 2)

    def forward(self, x):
        with torch.no_grad():
            h = self.encoder(x)
        return self.classifier(h)


probe = Probe()
optimizer = torch.optim.SGD(probe.classifier.parameters(), lr=0.1)
for _epoch in range(3):
    probe.train()  # <- cause
    for _ in range(5):
        x, y = torch.randn(16, 8) * 3 - 1, torch.randint(0, 2, (16,))
        optimizer.zero_grad()
        nn.functional.cross_entropy(probe(x), y).backward()
        optimizer.step()
