"""Encoder and neck, built one after the other, are frozen together; the head trains."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self, encoder, neck, head):
        super().__init__()
        self.encoder, self.neck, self.head = encoder, neck, head

    def forward(self, x):
        return self.head(torch.relu(self.neck(torch.relu(self.encoder(x)))))


encoder = nn.Linear(6, 16)
neck = nn.Linear(16, 16)
head = nn.Linear(16, 2)
model = Net(encoder, neck, head)
for p in [*encoder.parameters(), *neck.parameters()]:
    p.requires_grad_(False)
opt = torch.optim.Adam(head.parameters(), 1e-2)
x, y = torch.randn(40, 6), torch.randint(0, 2, (40,))
for _ in range(12):
    opt.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    opt.step()
