"""A Lightning module with three bugs."""

import logging

import lightning as L
import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, TensorDataset

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class Classifier(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(16, 32)
        self.blocks = [nn.Linear(32, 32), nn.Linear(32, 32)]  # BUG: unregistered-module
        self.neck = nn.Linear(32, 32)
        self.head = nn.Linear(32, 4)

    def forward(self, x):
        h = self.stem(x).relu()
        h = h.detach()  # BUG: detached-path
        for block in self.blocks:
            h = block(h).relu()
        return self.head(self.neck(h).relu())

    def training_step(self, batch, batch_idx):
        x, y = batch
        return cross_entropy(self(x), y)

    def configure_optimizers(self):
        used = [*self.stem.parameters(), *self.head.parameters()]
        return torch.optim.AdamW(used, lr=1e-3)  # BUG: parameter-not-in-optimizer


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.randn(512, 16)
    trainer = L.Trainer(
        max_epochs=1,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(Classifier(), DataLoader(TensorDataset(x, x[:, :4].argmax(1)), batch_size=16, shuffle=True))
