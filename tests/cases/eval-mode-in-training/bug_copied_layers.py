"""A transformer (whose layers are copies of one another) that stays in evaluation mode after its first validation."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.out = nn.Linear(8, 2)

    def forward(self, x):
        return self.out(self.encoder(x).mean(1))


def run_epoch(model, data, optimizer=None):
    if optimizer is None:
        model.eval()  # <- cause
    with torch.set_grad_enabled(optimizer is not None):
        for x, y in data:
            loss = nn.functional.cross_entropy(model(x), y)
            if optimizer is not None:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    return loss.item()


torch.manual_seed(0)
batches = [(torch.randn(6, 5, 8), torch.randint(0, 2, (6,))) for _ in range(6)]
net = Model()
adam = torch.optim.AdamW(net.parameters(), lr=1e-3)
for epoch in range(4):
    run_epoch(net, batches[:5], adam)
    print(epoch, run_epoch(net, batches[5:]))
