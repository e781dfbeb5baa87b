"""A small ConvNet with normalisation, clipping, a warm-up and an evaluation after every epoch."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.GELU(), nn.MaxPool2d(2))
        self.head = nn.Linear(8 * 4 * 4, 2)

    def forward(self, x):
        return self.head(self.body(x).flatten(1))


def train():
    torch.manual_seed(1)
    model = Net()
    nn.init.trunc_normal_(model.head.weight, std=0.02)
    nn.init.zeros_(model.head.bias)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    warmup = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, step / 4))
    x = torch.randn(48, 1, 8, 8)
    y = (x.mean(dim=(1, 2, 3)) > 0).long()
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    for epoch in range(3):
        model.train()
        total = 0.0
        for i in range(0, 48, 12):
            optimizer.zero_grad(set_to_none=False)
            loss = criterion(model(x[i : i + 12]), y[i : i + 12])
            loss.backward()
            norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            warmup.step()
            total += loss.item()
        model.eval()
        with torch.no_grad():
            accuracy = (model(x).argmax(1) == y).float().mean()
        print(epoch, total, float(norm), accuracy.item())
    return model


model = train()
