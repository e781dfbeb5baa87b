import torch, torch.nn as nn
torch.manual_seed(0)
class FakeQ(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, s): ctx.save_for_backward(x, s); return (x / s).round().clamp(-8, 7) * s
    @staticmethod
    def backward(ctx, g):
        x, s = ctx.saved_tensors; m = ((x / s).abs() <= 8).float(); return g * m, (g * ((x / s).round() - x / s) * m).sum()
class QL(nn.Linear):
    def __init__(s, a, b): super().__init__(a, b); s.s = nn.Parameter(torch.tensor(.05))
    def forward(s, x): return nn.functional.linear(x, FakeQ.apply(s.weight, s.s), s.bias)
m = nn.Sequential(QL(4, 8), nn.ReLU(), QL(8, 1)); opt = torch.optim.SGD(m.parameters(), 1e-2)
for i in range(12):
    x = torch.randn(16, 4); loss = (m(x) - x[:, :1]).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step()
