"""The counter starts anew in each short epoch and never reaches the number of accumulation steps."""

import torch
import torch.nn as nn

torch.manual_seed(0)
ACCUMULATE = 8


class Trainer:
    def __init__(self, model):
        self.model = model
        self.opt = torch.optim.Adam(model.parameters(), lr=1e-2)

    def epoch(self, loader):
        self.opt.zero_grad()
        for i, (x, y) in enumerate(loader, start=1):
            loss = nn.functional.mse_loss(self.model(x), y) / ACCUMULATE
            loss.backward()
            if i % ACCUMULATE == 0:  # <- cause
                self.opt.step()
                self.opt.zero_grad()


x = torch.randn(30, 5)
data = torch.utils.data.TensorDataset(x, x.sum(1, keepdim=True))
trainer = Trainer(nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 1)))
for _ in range(20):
    trainer.epoch(torch.utils.data.DataLoader(data, batch_size=5))
