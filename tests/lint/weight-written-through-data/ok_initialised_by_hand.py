import torch
from torch import nn


class Softmax(nn.Module):
    def __init__(self, n, k):
        super().__init__()
        self.linear = nn.Linear(n, k)
        self.scale = nn.Parameter(torch.ones(1))
        self.linear.weight.detach().zero_()  # <- note
        self.linear.bias.data.fill_(0.5)  # <- note
        self.scale.data.normal_(0, 0.02)  # <- note
        self.scale.data.uniform_(-1, 1)  # <- note

    def forward(self, x):
        return self.scale * self.linear(x)


model = Softmax(3, 2)
for p in model.parameters():
    p.data.clamp_(-1, 1)  # <- note
    p.grad.data.zero_()
noise = torch.randn(3).detach().mul_(0.1)
