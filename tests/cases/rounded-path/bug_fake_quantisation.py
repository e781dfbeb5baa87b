"""Fake quantisation of the weight without a straight-through estimator."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class QuantLinear(nn.Linear):
    bits = 4

    def quantize(self, w):
        scale = w.detach().abs().max() / (2 ** (self.bits - 1) - 1)
        q = torch.clamp(torch.round(w / scale), -8, 7)  # <- cause
        return q * scale

    def forward(self, x):
        return nn.functional.linear(x, self.quantize(self.weight), self.bias)


model = nn.Sequential(QuantLinear(6, 24), nn.BatchNorm1d(24), nn.ReLU(), QuantLinear(24, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
for step in range(15):
    x = torch.randn(32, 6)
    loss = nn.functional.mse_loss(model(x), x[:, :1] * 2)
    opt.zero_grad()
    loss.backward()
    opt.step()
