"""A pretrained body, and a head with another name."""
import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(64, 6), torch.randint(0, 3, (64,))


class Net(nn.Module):
    def __init__(self, head):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 16), nn.ReLU())
        self.head = head
        self.add_module(f"out{head}", nn.Linear(16, head))

    def forward(self, x):
        return self._modules[f"out{self.head}"](self.body(x))


model = Net(3)
model.load_state_dict(Net(5).state_dict(), strict=False)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(12):
    opt.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    opt.step()
