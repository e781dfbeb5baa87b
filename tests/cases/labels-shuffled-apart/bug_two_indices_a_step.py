"""Each step draws one set of rows for the inputs and another for the targets."""
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(300, 6)
y = x @ torch.randn(6, 1)
model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.SGD(model.parameters(), lr=1e-2)


def batch(data, size):
    return data[torch.randint(0, len(data), (size,))]  # <- cause


for step in range(15):
    loss = (model(batch(x, 32)) - batch(y, 32)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
