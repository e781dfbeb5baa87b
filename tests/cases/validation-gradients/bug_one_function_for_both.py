"""Both phases run backward; only step and clearing depend on the phase."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 8)
y = (x[:, :1] > 0).float()
held_x = torch.randn(32, 8)
held_y = (held_x[:, :1] > 0).float()
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
data = {"train": (x, y), "val": (held_x, held_y)}
for _ in range(12):
    for phase in ("train", "val"):
        model.train(phase == "train")
        inputs, targets = data[phase]
        for xb, yb in zip(inputs.split(16), targets.split(16)):
            loss = nn.functional.binary_cross_entropy_with_logits(model(xb), yb)
            loss.backward()  # <- cause
            if phase == "train":
                opt.step()
                opt.zero_grad()
