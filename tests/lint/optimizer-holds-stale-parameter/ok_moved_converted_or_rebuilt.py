import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
model = model.to("cuda")  # the same Parameters: only their data moves
model = model.half()
model = torch.compile(model)
for x, y in loader:
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()

net = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 2))
adam = torch.optim.Adam(net.parameters())
net[1] = nn.Linear(8, 3)
adam = torch.optim.Adam(net.parameters())
for x, y in loader:
    adam.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    adam.step()
