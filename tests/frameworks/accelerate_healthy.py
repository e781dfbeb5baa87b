"""A loop with Accelerate: accumulation, bf16, clipping, a schedule, and a checkpoint from which it goes on. 10 steps."""

import tempfile

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(16, 32)
        self.neck = nn.Linear(32, 32)
        self.head = nn.Linear(32, 4)

    def forward(self, x):
        h = self.stem(x).relu()
        return self.head(self.neck(h).relu())


def train(accelerator, model, optimizer, scheduler, loader):
    for inputs, labels in loader:
        with accelerator.accumulate(model):
            loss = nn.functional.cross_entropy(model(inputs), labels)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()


if __name__ == "__main__":
    torch.manual_seed(0)
    accelerator = Accelerator(cpu=True, mixed_precision="bf16", gradient_accumulation_steps=2)
    x = torch.randn(160, 16)
    loader = DataLoader(TensorDataset(x, x[:, :4].argmax(1)), batch_size=16, shuffle=True)
    model = Net()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 20)
    prepared = accelerator.prepare(model, optimizer, scheduler, loader)
    train(accelerator, *prepared)
    with tempfile.TemporaryDirectory() as folder:
        accelerator.save_state(folder)
        accelerator.load_state(folder)
    train(accelerator, *prepared)
