"""An offset of 5 before every tanh."""
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(256, 8)
y = (x[:, 0] > 0).long()


def forward(x):
    return out(torch.tanh(hidden(x) + 5))  # <- cause


hidden, out = nn.Linear(8, 32), nn.Linear(32, 2)
model = forward
opt = torch.optim.SGD([*hidden.parameters(), *out.parameters()], lr=0.01)
for step in range(15):
    i = torch.randint(0, 256, (32,))
    loss = nn.functional.cross_entropy(model(x[i]), y[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
