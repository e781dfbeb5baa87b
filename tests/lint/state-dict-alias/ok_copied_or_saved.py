import copy

import torch
from torch import nn

model, ema = nn.Linear(4, 2), nn.Linear(4, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
pretrained = torch.load("weights.pt")
state = model.state_dict()
state.update(pretrained)
model.load_state_dict(state)
for epoch in range(5):
    loss = model(torch.randn(8, 4)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    weights = model.state_dict()
    ema.load_state_dict(weights)
    torch.save(weights, "last.pt")
    if loss.item() < 1:
        best = copy.deepcopy(model.state_dict())
        best_opt = opt.state_dict()
model.load_state_dict(best)
