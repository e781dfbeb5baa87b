"""A second branch is computed and returned, but the loss uses the first output only."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Linear(6, 16)
        self.cls = nn.Linear(16, 3)
        self.box = nn.Sequential(nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 4))

    def forward(self, x):
        h = torch.relu(self.trunk(x))
        return self.cls(h), self.box(h).sigmoid()  # <- cause


def loss_fn(outputs, labels, boxes):
    logits, pred = outputs
    cls_loss = nn.functional.cross_entropy(logits, labels)
    box_loss = nn.functional.smooth_l1_loss(pred, boxes)  # <- cause
    return cls_loss


model = TwoHeads()
opt = torch.optim.Adam(model.parameters(), 1e-2)
x, labels, boxes = torch.randn(20, 6), torch.randint(0, 3, (20,)), torch.rand(20, 4)
for _ in range(12):
    loss = loss_fn(model(x), labels, boxes)
    opt.zero_grad()
    loss.backward()
    opt.step()
