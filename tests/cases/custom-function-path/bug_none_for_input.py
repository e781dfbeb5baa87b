import torch, torch.nn as nn
torch.manual_seed(0)
class MyLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, b):
        ctx.save_for_backward(x, w); return x @ w.t() + b
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        gx = gw = gb = None
        if ctx.needs_input_grad[1]: gw = g.t() @ x
        if ctx.needs_input_grad[2]: gb = g.sum(0)
        return gx, gw, gb  # <- cause
class L(nn.Module):
    def __init__(s, a, b): super().__init__(); s.w = nn.Parameter(torch.randn(b, a) * .3); s.b = nn.Parameter(torch.zeros(b))
    def forward(s, x): return MyLinear.apply(x, s.w, s.b)  # <- cause
m = nn.Sequential(L(4, 8), nn.Tanh(), L(8, 8), nn.Tanh(), L(8, 1)); opt = torch.optim.SGD(m.parameters(), 0.1)
for i in range(12):
    x = torch.randn(16, 4); loss = (m(x) - x[:, :1]).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step()
