"""Ten sigmoid layers in a row."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Deep(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.first = nn.Linear(8, 32)
        self.layers = nn.ModuleList(nn.Linear(32, 32) for _ in range(depth))
        self.out = nn.Linear(32, 2)

    def forward(self, x):
        x = torch.sigmoid(self.first(x))
        for layer in self.layers:
            x = torch.sigmoid(layer(x))  # <- cause
        return self.out(x)


x = torch.randn(256, 8)
y = (x[:, 0] > 0).long()
model = Deep(10)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(15):
    i = torch.randint(0, 256, (32,))
    loss = nn.functional.cross_entropy(model(x[i]), y[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
