"""Random re-initialisation at the start of each epoch: never the same values twice."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class Trainer:
    def __init__(self, model, lr):
        self.model = model
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)

    def setup(self):
        for m in self.model.modules():
            if hasattr(m, "reset_parameters"):
                m.reset_parameters()  # <- cause

    def epoch(self, loader):
        self.setup()  # <- cause
        for x, y in loader:
            loss = nn.functional.cross_entropy(self.model(x), y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()


data = torch.utils.data.TensorDataset(torch.randn(40, 5), torch.randint(0, 2, (40,)))
trainer = Trainer(nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 2)), 1e-2)
for _ in range(10):
    trainer.epoch(torch.utils.data.DataLoader(data, batch_size=10))
