import functools, time, torch, torch.nn as nn
torch.manual_seed(0)
def timed(fn):
    @functools.wraps(fn)
    def inner(*a, **k):
        start = time.perf_counter()
        with torch.no_grad():  # <- cause
            out = fn(*a, **k)  # <- cause
        inner.seconds = time.perf_counter() - start
        return out
    return inner
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 8); self.b = nn.Linear(8, 1)
    @timed  # <- cause
    def features(self, x): return torch.relu(self.a(x))  # <- cause
    def forward(self, x): return self.b(self.features(x))
m = Net(); opt = torch.optim.Adam(m.parameters(), 1e-2)
for i in range(12):
    x = torch.randn(8, 4); loss = (m(x) - x.sum(1, keepdim=True)).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
