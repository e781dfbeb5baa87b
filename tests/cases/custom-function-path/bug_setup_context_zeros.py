import torch, torch.nn as nn
torch.manual_seed(0)
class Round(torch.autograd.Function):
    @staticmethod
    def forward(x, s): return torch.round(x / s) * s
    @staticmethod
    def setup_context(ctx, inputs, output): ctx.s = inputs[1]
    @staticmethod
    def backward(ctx, g): return torch.zeros_like(g), None  # <- cause
class Q(nn.Linear):
    def forward(s, x): return nn.functional.linear(x, Round.apply(s.weight, 0.1), s.bias)  # <- cause
m = nn.Sequential(Q(4, 8), nn.ReLU(), nn.Linear(8, 1)); opt = torch.optim.Adam(m.parameters(), 1e-2)
for i in range(12):
    x = torch.randn(16, 4); loss = (m(x) - x[:, :1]).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step()
