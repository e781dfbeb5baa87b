"""Semi-supervised: the loss of the labelled samples, in a batch that has none."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class MaskedMSE(nn.Module):
    def forward(self, prediction, target, mask):
        error = (prediction - target) ** 2
        error = error * mask
        return error.sum() / mask.sum()  # <- cause


model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 2))
criterion = MaskedMSE()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(20):
    x = torch.randn(8, 5)
    mask = (torch.rand(8, 1) < (0.0 if step == 5 else 0.6)).float()
    loss = criterion(model(x), x[:, :2], mask)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
