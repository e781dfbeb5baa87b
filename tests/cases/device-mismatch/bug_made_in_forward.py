"""A mask is made on the default device within forward; meta stands in for a GPU."""
import torch
from torch import nn

DEVICE = "meta"


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)
        self.outer = nn.Linear(4, 1)

    def forward(self, x):
        h = self.inner(x)
        mask = torch.ones(x.shape[0], 4)  # <- cause
        return self.outer(h * mask)


model = Masked().to(DEVICE)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(2):
    loss = model(torch.randn(8, 4, device=DEVICE)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
