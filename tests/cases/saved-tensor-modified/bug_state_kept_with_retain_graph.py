"""The hidden state is carried on without detach; retain_graph hides that until the weights have been stepped."""
import torch
from torch import nn

torch.manual_seed(0)
cell = nn.GRUCell(3, 8)
head = nn.Linear(8, 1)
optimizer = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.05)
sequence = torch.randn(12, 4, 3)
hidden = torch.zeros(4, 8)

for chunk in sequence.split(4):
    losses = []
    for inputs in chunk:
        hidden = cell(inputs, hidden)  # <- cause
        losses.append((head(hidden) - inputs.sum(1, keepdim=True)).square().mean())
    optimizer.zero_grad()
    torch.stack(losses).sum().backward(retain_graph=True)
    optimizer.step()
