"""The weights of a mixture are computed from their parameter once, before the loop that trains it."""
import torch

torch.manual_seed(0)
logits = torch.zeros(4, requires_grad=True)
experts = torch.randn(4, 3)
optimizer = torch.optim.Adam([logits], lr=0.1)
weights = torch.softmax(logits, 0)  # <- cause
target = torch.randn(3)
for step in range(5):
    loss = (weights @ experts - target).pow(2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
