"""Twelve steps an epoch, and the checkpoint is loaded at the start of each."""

import io

import torch
import torch.nn as nn

torch.manual_seed(0)


class Experiment:
    def __init__(self):
        self.model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=5e-3)
        self.buffer = io.BytesIO()
        torch.save(self.model.state_dict(), self.buffer)

    def resume(self):
        self.buffer.seek(0)
        self.model.load_state_dict(torch.load(self.buffer))  # <- cause

    def train(self, loader, epochs):
        for epoch in range(epochs):
            self.resume()  # <- cause
            for x, y in loader:
                self.optimizer.zero_grad()
                nn.functional.cross_entropy(self.model(x), y).backward()
                self.optimizer.step()


data = torch.utils.data.TensorDataset(torch.randn(120, 6), torch.randint(0, 3, (120,)))
Experiment().train(torch.utils.data.DataLoader(data, batch_size=10, shuffle=True), 6)
