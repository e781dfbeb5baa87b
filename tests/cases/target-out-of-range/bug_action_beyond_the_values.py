"""An action number that the network has no value for is looked up in its output."""
import torch
from torch import nn

torch.manual_seed(0)
network = nn.Linear(4, 2)
optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
states = torch.randn(6, 4)
actions = torch.tensor([0, 1, 2, 1, 0, 1]).unsqueeze(1)  # <- cause
for step in range(3):
    chosen = network(states).gather(1, actions)
    loss = (chosen - 1).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
