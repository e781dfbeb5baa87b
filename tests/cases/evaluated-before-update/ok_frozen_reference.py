"""A copy of the model as it was serves as reference, and is not meant to change; an averaged model that is never used."""

import copy

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel

torch.manual_seed(0)
x = torch.randn(96, 8)
y = (x @ torch.randn(8, 3)).argmax(1)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))
reference = copy.deepcopy(model).eval().requires_grad_(False)
averaged = AveragedModel(model)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(4):
    for rows in torch.randperm(96).split(16):
        opt.zero_grad()
        logits = model(x[rows])
        with torch.no_grad():
            before = reference(x[rows]).log_softmax(1)
        near = nn.functional.kl_div(logits.log_softmax(1), before, log_target=True, reduction="batchmean")
        (nn.functional.cross_entropy(logits, y[rows]) + 0.1 * near).backward()
        opt.step()
