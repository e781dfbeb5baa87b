"""The teacher's inference_mode block also covers the student's projector."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Distiller(nn.Module):
    def __init__(self):
        super().__init__()
        self.teacher = nn.Linear(6, 8)
        self.projector = nn.Linear(8, 4)
        self.student = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 4))

    def forward(self, x):
        with torch.no_grad():  # <- cause
            aim = self.teacher(x)
            aim = self.projector(aim)  # <- cause
        return nn.functional.mse_loss(self.student(x), aim)


model = Distiller()
model.teacher.requires_grad_(False)
opt = torch.optim.Adam([*model.projector.parameters(), *model.student.parameters()], lr=1e-3)
for step in range(15):
    loss = model(torch.randn(16, 6))
    opt.zero_grad()
    loss.backward()
    opt.step()
