import torch, torch.nn as nn
torch.manual_seed(0)
class TopPool(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        v, i = x.max(1)
        ctx.save_for_backward(i); ctx.n = x.size(1)
        ctx.mark_non_differentiable(v)  # <- cause
        return v
    @staticmethod
    def backward(ctx, g):
        (i,) = ctx.saved_tensors
        out = g.new_zeros(g.size(0), ctx.n, *g.shape[1:])
        return out.scatter(1, i.unsqueeze(1), g.unsqueeze(1))
class Net(nn.Module):
    def __init__(s): super().__init__(); s.a = nn.Linear(3, 8); s.b = nn.Linear(8, 2)
    def forward(s, x): return s.b(TopPool.apply(torch.relu(s.a(x))))  # <- cause
m = Net(); opt = torch.optim.Adam(m.parameters(), 1e-2)
for i in range(12):
    loss = nn.functional.cross_entropy(m(torch.randn(8, 5, 3)), torch.randint(0, 2, (8,))); opt.zero_grad(); loss.backward(); opt.step()
