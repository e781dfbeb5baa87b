"""Features are computed once under inference_mode, and a head is trained on them."""
import torch
from torch import nn

torch.manual_seed(0)
backbone, head = nn.Linear(6, 8), nn.Linear(8, 2)
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
x, y = torch.randn(32, 6), torch.randint(2, (32,))


@torch.inference_mode()  # <- cause
def features(batch):
    return torch.relu(backbone(batch))


cached = features(x)
for step in range(3):
    loss = nn.functional.cross_entropy(head(cached), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
