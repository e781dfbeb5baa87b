"""What a GPU does with a target out of range, played with the meta device: the abort is told of at a later line."""
import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("meta")
model = nn.Linear(5, 3).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def read(batch):
    labels = torch.tensor([row % 4 for row in range(batch)])  # <- cause
    return torch.randn(batch, 5), labels.unsqueeze(0)


def synchronize():
    raise RuntimeError("CUDA error: device-side assert triggered\nCUDA kernel errors might be asynchronously reported")


for step in range(3):
    x, labels = (tensor.to(device) for tensor in read(16))
    loss = nn.functional.cross_entropy(model(x), labels.squeeze(0))
    optimizer.zero_grad()
    loss.backward()
    synchronize()
    optimizer.step()
