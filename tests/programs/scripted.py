"""torch.jit: a scripted module with a TransformerEncoderLayer in it, a traced one, scripted functions; torch.fx."""

import warnings

import torch
from torch import nn

warnings.filterwarnings("ignore")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        return self.out(self.layer(x).mean(1))


@torch.jit.script
def criterion(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return (a - b).pow(2).mean()


class Branch(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x):
        return torch.tanh(self.a(x)) + torch.sigmoid(self.b(x)) * x.shape[0]


torch.manual_seed(1)
scripted = torch.jit.script(Net())
traced = torch.jit.trace(Branch(), torch.randn(3, 8), check_trace=False)
symbolic = torch.fx.symbolic_trace(nn.Sequential(nn.Linear(8, 8), nn.ReLU()))
print(traced.graph.findNode("aten::tanh") is not None, len(list(traced.graph.nodes())))
print([node.name for node in symbolic.graph.nodes])
parameters = [*scripted.parameters(), *traced.parameters(), *symbolic.parameters()]
optimizer = torch.optim.Adam(parameters, lr=0.01)
for step in range(6):
    x = torch.randn(4, 5, 8)
    out = scripted(x) + symbolic(traced(x.mean(1)) / 4).mean(1, keepdim=True)
    loss = criterion(out, x.sum(2).mean(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
scripted.eval()
with torch.no_grad():
    print(scripted(x).sum().item())
