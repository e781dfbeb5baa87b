"""States that go into other models at once: a target network and an average of weights."""
import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(80, 6), torch.randint(0, 3, (80,))

model, target = nn.Linear(6, 3), nn.Linear(6, 3)
average = copy.deepcopy(model)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(40):
    if step % 10 == 0:
        target.load_state_dict(model.state_dict())
    idx = torch.randint(0, 80, (16,))
    opt.zero_grad()
    F.cross_entropy(model(x[idx]), y[idx]).backward()
    opt.step()
    with torch.no_grad():
        old, new = average.state_dict(), model.state_dict()
        average.load_state_dict({k: 0.9 * old[k] + 0.1 * new[k] for k in old})
        norms = {k: v.norm() for k, v in model.state_dict().items()}
