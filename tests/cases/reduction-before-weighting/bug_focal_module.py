"""A focal loss around nn.CrossEntropyLoss with its default reduction."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Focal(nn.Module):
    def __init__(self, gamma=2.0, alpha=None):
        super().__init__()
        self.gamma = gamma
        self.ce = nn.CrossEntropyLoss(weight=alpha)  # <- cause

    def forward(self, logits, target):
        logp = self.ce(logits, target)
        p = torch.exp(-logp)
        loss = (1 - p) ** self.gamma * logp
        return loss.mean()


model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
criterion = Focal(alpha=torch.tensor([1.0, 2.0, 3.0]))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(12):
    x, y = torch.randn(32, 6), torch.randint(0, 3, (32,))
    loss = criterion(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
