"""The backward of a fused scale-and-shift returns None for the scale."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class ScaleShift(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale, shift):
        ctx.save_for_backward(x, scale)
        return x * scale + shift

    @staticmethod
    def backward(ctx, grad):
        x, scale = ctx.saved_tensors
        return grad * scale, None, grad.sum(0)  # <- cause


class Affine(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(n))
        self.shift = nn.Parameter(torch.zeros(n))

    def forward(self, x):
        return ScaleShift.apply(x, self.scale, self.shift)  # <- cause


model = nn.Sequential(nn.Linear(4, 8), Affine(8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(64, 4)
y = x.prod(1, keepdim=True)
for step in range(15):
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
