"""A helper that seeds everything is called in each step of a denoising autoencoder."""
import random

import torch
import torch.nn as nn


def seed_everything(seed):
    random.seed(seed)
    torch.manual_seed(seed)  # <- cause


class Trainer:
    def __init__(self, model):
        self.model = model
        self.opt = torch.optim.Adam(model.parameters(), lr=1e-3)

    def step(self, x):
        seed_everything(0)
        noisy = x + 0.3 * torch.randn_like(x)
        loss = nn.functional.mse_loss(self.model(noisy), x)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()


seed_everything(0)
trainer = Trainer(nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 8)))
data = torch.randn(320, 8)
for i in range(0, 320, 20):
    trainer.step(data[i : i + 20])
