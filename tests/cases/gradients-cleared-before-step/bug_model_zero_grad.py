"""model.zero_grad() between backward and step, in a trainer."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Trainer:
    def __init__(self, model, lr):
        self.model = model
        self.opt = torch.optim.AdamW(model.parameters(), lr=lr)

    def step(self, batch):
        x, y = batch
        loss = nn.functional.cross_entropy(self.model(x), y)
        loss.backward()
        self.model.zero_grad()  # <- cause
        self.opt.step()
        return loss.item()


trainer = Trainer(nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 3)), 1e-2)
for i in range(15):
    trainer.step((torch.randn(16, 5), torch.randint(0, 3, (16,))))
