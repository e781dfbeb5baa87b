import torch, torch.nn as nn
torch.manual_seed(0)
class A(nn.Module):
    def __init__(s, d=8): super().__init__(); s.q, s.k, s.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
    def forward(s, x): return (s.q(x) @ s.k(x).mT / 8 ** .5).softmax(-1) @ s.v(x)
m = nn.Sequential(nn.Linear(3, 8), A(), nn.Linear(8, 1)); opt = torch.optim.SGD(m.parameters(), 0.05)
for i in range(12):
    x = torch.randn(4, 6, 3); loss = (m(x) - x.sum(-1, keepdim=True)).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step()
