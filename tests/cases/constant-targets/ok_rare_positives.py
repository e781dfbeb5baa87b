"""One label in a thousand is positive: the first batches have none. And one sample that is learned by heart."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
x = torch.randn(2000, 5)
y = torch.tensor([1.0 if i in (1500, 1900) else 0.0 for i in range(2000)])
model, single = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1)), nn.Linear(5, 1)
optimizer = torch.optim.Adam([*model.parameters(), *single.parameters()], lr=1e-3)
for step in range(12):
    rows = slice(step * 64, step * 64 + 64)
    loss = F.binary_cross_entropy_with_logits(model(x[rows]).squeeze(1), y[rows])
    loss = loss + F.mse_loss(single(x[:1]), torch.tensor([[3.0]]))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
