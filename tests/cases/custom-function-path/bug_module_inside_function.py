"""A Function gets the module as an argument and runs it in its forward: no input requires grad."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Offload(torch.autograd.Function):
    """Recomputes the module in backward, to save memory."""

    @staticmethod
    def forward(ctx, module, x):
        ctx.module = module
        ctx.save_for_backward(x)
        with torch.no_grad():
            return module(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        x = x.detach().requires_grad_()
        with torch.enable_grad():
            out = ctx.module(x)
        out.backward(grad)
        return None, x.grad


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Linear(4, 16), nn.Tanh())
        self.second = nn.Sequential(nn.Linear(16, 16), nn.Tanh())
        self.last = nn.Linear(16, 1)

    def forward(self, x):
        h = Offload.apply(self.first, x)  # <- cause
        return self.last(self.second(h))


model = Net()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(15):
    x = torch.randn(32, 4)
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    opt.zero_grad()
    loss.backward()
    opt.step()
