"""Quantisation-aware training: rounding inside a straight-through estimator, torch's own fake_quantize."""
import torch
import torch.nn as nn

torch.manual_seed(0)


def ste_round(x):
    return x + (x.round() - x).detach()


class Q(nn.Linear):
    def forward(self, x):
        w = ste_round(self.weight * 16) / 16
        return nn.functional.linear(x, w, self.bias)


class F8(nn.Linear):
    def forward(self, x):
        w = torch.fake_quantize_per_tensor_affine(self.weight, 0.05, 0, -127, 127)
        return nn.functional.linear(x, w, self.bias)


model = nn.Sequential(Q(6, 16), nn.ReLU(), F8(16, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(15):
    x = torch.randn(32, 6)
    out = model(x)
    rounded = out.round()
    loss = nn.functional.mse_loss(out, x[:, :1]) + 0.0 * (rounded - out).abs().mean().detach()
    opt.zero_grad()
    loss.backward()
    opt.step()
