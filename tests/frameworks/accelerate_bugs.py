"""A loop with Accelerate: two bugs."""

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
        h = self.neck(h.detach()).relu()  # BUG: detached-path
        return self.head(h)


torch.manual_seed(0)
accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
x = torch.randn(320, 16)
loader = DataLoader(TensorDataset(x, x[:, :4].argmax(1)), batch_size=16, shuffle=True)
model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
accelerator.unwrap_model(model).head = nn.Linear(32, 4)  # BUG: optimizer-holds-stale-parameter
for inputs, labels in loader:
    with accelerator.accumulate(model):
        loss = nn.functional.cross_entropy(model(inputs), labels)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
