"""An optimizer of one's own that has nothing to do with torch.optim, and a model that knows no nn.Module."""
# whygrad says: no parameter of a model was seen

import torch


class Momentum:
    def __init__(self, params, lr):
        self.params, self.lr = list(params), lr
        self.speeds = [torch.zeros_like(p) for p in self.params]

    def zero_grad(self):
        for p in self.params:
            p.grad = None

    @torch.no_grad()
    def step(self):
        for p, speed in zip(self.params, self.speeds):
            speed.mul_(0.9).add_(p.grad)
            p.sub_(self.lr * speed)


torch.manual_seed(1)
w1 = torch.randn(3, 8, requires_grad=True)
b1 = torch.zeros(8, requires_grad=True)
w2 = (torch.randn(8, 1) * 0.3).requires_grad_()
optimizer = Momentum([w1, b1, w2], lr=0.02)
x = torch.randn(32, 3)
y = x.abs().sum(1, keepdim=True)
for step in range(12):
    loss = ((torch.tanh(x @ w1 + b1) @ w2) - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
