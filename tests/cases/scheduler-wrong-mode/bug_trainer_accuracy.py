"""A Trainer class; the accuracy comes out of a function that returns a pair."""
import torch
from torch import nn
from torch.optim.lr_scheduler import ReduceLROnPlateau
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
centers = 2 * torch.randn(4, 8)
y = torch.randint(0, 4, (240,))
data = TensorDataset(centers[y] + torch.randn(240, 8), y)


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        self.scheduler = ReduceLROnPlateau(self.optimizer, factor=0.5, patience=1)  # <- cause
        self.train_loader = DataLoader(data, batch_size=24, shuffle=True)

    def evaluate(self):
        self.model.eval()
        total, correct, loss = 0, 0, 0.0
        with torch.no_grad():
            for xb, yb in self.train_loader:
                out = self.model(xb)
                loss += nn.functional.cross_entropy(out, yb).item()
                correct += (out.argmax(1) == yb).sum().item()
                total += len(yb)
        self.model.train()
        return loss / len(self.train_loader), correct / total

    def fit(self, epochs):
        for _ in range(epochs):
            for xb, yb in self.train_loader:
                self.optimizer.zero_grad()
                nn.functional.cross_entropy(self.model(xb), yb).backward()
                self.optimizer.step()
            val_loss, val = self.evaluate()
            self.scheduler.step(val)


Trainer(nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))).fit(12)
