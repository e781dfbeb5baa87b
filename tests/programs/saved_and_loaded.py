"""Saving and loading between the epochs: state_dict, a whole pickled model, deepcopy of model and optimizer."""

import copy
import io
import pickle

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 8)
        self.b = nn.Linear(8, 1)
        self.register_buffer("count", torch.zeros((), dtype=torch.long))

    def forward(self, x):
        self.count += 1
        return self.b(self.a(x).relu())


torch.manual_seed(1)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
for epoch in range(4):
    for _ in range(3):
        x = torch.randn(16, 4)
        loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item())
    file = io.BytesIO()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "all": model}, file)
    file.seek(0)
    saved = torch.load(file, weights_only=False)
    if epoch == 1:
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
    elif epoch == 2:
        model, optimizer = copy.deepcopy((model, optimizer))
    again = pickle.loads(pickle.dumps(saved["all"]))
    print(len(pickle.dumps(model)), again.count.item(), torch.equal(again.a.weight, model.a.weight))
