import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self, requires_grad=True):
        super().__init__()
        self.requires_grad = requires_grad
        self.s = nn.Parameter(torch.ones(1), requires_grad=self.requires_grad)


net = nn.Sequential(nn.Linear(8, 8), Scale())
x = torch.randn(4, 8)
x.requires_grad = True
net[0].weight.requires_grad = False
for p in net.parameters():
    p.requires_grad = True
scale = Scale()
scale.requires_grad = False
print(all(p.requires_grad == True for p in net.parameters()))
