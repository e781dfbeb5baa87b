"""Clipping in a helper called before scaler.step, SGD with momentum."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Amp:
    def __init__(self, model):
        self.model = model
        self.opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
        self.scaler = torch.amp.GradScaler("cpu", init_scale=2.0**14)

    def clip(self):
        return torch.nn.utils.clip_grad_norm_(self.model.parameters(), max_norm=1.0)  # <- cause

    def step(self, x, y):
        self.opt.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = nn.functional.cross_entropy(self.model(x).float(), y)
        self.scaler.scale(loss).backward()
        self.clip()  # <- cause
        self.scaler.step(self.opt)
        self.scaler.update()


amp = Amp(nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 4)))
for i in range(15):
    amp.step(torch.randn(16, 6), torch.randint(0, 4, (16,)))
