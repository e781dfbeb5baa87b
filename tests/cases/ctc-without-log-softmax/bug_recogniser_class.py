"""A CRNN whose forward ends in the linear layer; the functional loss."""

import torch
import torch.nn.functional as F
from torch import nn


class Recogniser(nn.Module):
    def __init__(self, classes=7):
        super().__init__()
        self.rnn = nn.GRU(12, 24, bidirectional=True)
        self.fc = nn.Linear(48, classes)

    def forward(self, x):
        h, _ = self.rnn(x)
        return self.fc(h)


def ctc(scores, targets):
    frames = torch.full((scores.size(1),), scores.size(0))
    lengths = torch.full((scores.size(1),), targets.size(1))
    return F.ctc_loss(scores, targets, frames, lengths, zero_infinity=True)  # <- cause


torch.manual_seed(0)
net = Recogniser()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(12):
    loss = ctc(net(torch.randn(20, 4, 12)), torch.randint(1, 7, (4, 5)))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
