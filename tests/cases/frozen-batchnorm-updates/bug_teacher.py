"""A trained teacher, frozen for distillation, is put into training mode together with its student."""

import torch
from torch import nn


def mlp():
    return nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 4))


class Distiller(nn.Module):
    def __init__(self, teacher, student):
        super().__init__()
        self.teacher, self.student = teacher, student
        for p in self.teacher.parameters():
            p.requires_grad = False

    def forward(self, x):
        with torch.no_grad():
            wanted = self.teacher(x).softmax(-1)
        return nn.functional.kl_div(self.student(x).log_softmax(-1), wanted, reduction="batchmean")


torch.manual_seed(0)
trained = mlp()
with torch.no_grad():
    for _ in range(40):
        trained(torch.randn(32, 8))
model = Distiller(trained, mlp())
optimizer = torch.optim.Adam(model.student.parameters(), lr=1e-3)
model.train()  # <- cause
for _ in range(12):
    optimizer.zero_grad()
    model(2 * torch.randn(16, 8) + 1).backward()
    optimizer.step()
