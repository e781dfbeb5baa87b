"""Hash codes by sign()."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Hasher(nn.Module):
    def __init__(self, bits=12):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, bits))

    def forward(self, x):
        return self.features(x).sign()  # <- cause


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.hasher = Hasher()
        self.cls = nn.Linear(12, 4)

    def forward(self, x):
        return self.cls(self.hasher(x))


def run():
    model = Model()
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(12):
        x, y = torch.randn(32, 8), torch.randint(0, 4, (32,))
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    run()
