"""A frozen-looking feature hook: the encoder's output is detached in a helper before the head."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(1, 8, 3, padding=1), nn.BatchNorm1d(8), nn.ReLU())

    def forward(self, x):
        return self.conv(x).mean(-1)


def to_sequence(features):
    features = features.detach()  # <- cause
    return features / (features.norm(dim=1, keepdim=True) + 1e-6)


class Trainer:
    def __init__(self, encoder, head):
        self.encoder, self.head = encoder, head
        self.opt = torch.optim.AdamW([*encoder.parameters(), *head.parameters()], lr=1e-3)

    def fit(self, loader, epochs):
        for _ in range(epochs):
            for x, y in loader:
                loss = nn.functional.cross_entropy(self.head(to_sequence(self.encoder(x))), y)
                self.opt.zero_grad(set_to_none=True)
                loss.backward()
                self.opt.step()


def main():
    x, y = torch.randn(64, 1, 20), torch.randint(0, 3, (64,))
    loader = DataLoader(TensorDataset(x, y), batch_size=16, shuffle=True)
    Trainer(Encoder(), nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 3))).fit(loader, 5)


if __name__ == "__main__":
    main()
