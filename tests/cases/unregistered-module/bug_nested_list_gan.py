import torch
import torch.nn as nn

torch.manual_seed(0)


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 8)
        self.up = [[nn.Linear(8, 8), nn.ReLU()], [nn.Linear(8, 2)]]  # <- cause

    def forward(self, z):
        h = self.fc(z)
        for group in self.up:
            for layer in group:
                h = layer(h)
        return h


G, D = Generator(), nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(), nn.Linear(8, 1))
og, od = torch.optim.Adam(G.parameters(), 1e-3), torch.optim.Adam(D.parameters(), 1e-3)
bce = nn.BCEWithLogitsLoss()
for _ in range(12):
    real = torch.randn(16, 2)
    fake = G(torch.randn(16, 4))
    od.zero_grad()
    (bce(D(real), torch.ones(16, 1)) + bce(D(fake.detach()), torch.zeros(16, 1))).backward()
    od.step()
    og.zero_grad()
    bce(D(fake), torch.ones(16, 1)).backward()
    og.step()
