"""torch.as_tensor over a list of zero-dimensional outputs, one per edge type."""
import torch
from torch import nn

torch.manual_seed(1)


class EdgeMixer(nn.Module):
    def __init__(self, kinds=3):
        super().__init__()
        self.nets = nn.ModuleList(nn.Linear(4, 1) for _ in range(kinds))
        self.out = nn.Linear(kinds, 2)

    def forward(self, x):
        weights = torch.as_tensor([net(x).mean() for net in self.nets])  # <- cause
        return self.out(weights)


model = EdgeMixer()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(15):
    x, y = torch.randn(8, 4), torch.randint(0, 2, ())
    opt.zero_grad()
    nn.functional.cross_entropy(model(x)[None], y[None]).backward()
    opt.step()
