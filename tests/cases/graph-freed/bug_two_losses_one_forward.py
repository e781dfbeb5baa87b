"""Two losses of one forward pass are each given to backward, the first of which frees the shared graph."""
import torch
from torch import nn

torch.manual_seed(0)
trunk, class_head, size_head = nn.Linear(6, 16), nn.Linear(16, 3), nn.Linear(16, 1)
parameters = [p for m in (trunk, class_head, size_head) for p in m.parameters()]
optimizer = torch.optim.SGD(parameters, lr=0.1)
x, labels, sizes = torch.randn(24, 6), torch.randint(3, (24,)), torch.rand(24, 1)
for step in range(3):
    features = torch.tanh(trunk(x))
    loss_class = nn.functional.cross_entropy(class_head(features), labels)
    loss_size = nn.functional.mse_loss(size_head(features), sizes)
    optimizer.zero_grad()
    loss_class.backward()  # <- cause
    loss_size.backward()
    optimizer.step()
