import torch, torch.nn as nn
torch.manual_seed(0)
class GeM(nn.Module):
    def __init__(s): super().__init__(); s.p = nn.Parameter(torch.tensor(3.0))
    def forward(s, x): return x.pow(s.p).mean((2, 3)).pow(1.0 / s.p)  # <- cause
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), GeM(), nn.Linear(4, 2))
nn.init.constant_(net[0].bias[:1].data, -9.0)
opt = torch.optim.SGD(net.parameters(), 0.01)
for i in range(12):
    loss = nn.functional.cross_entropy(net(torch.rand(4, 1, 8, 8)), torch.randint(0, 2, (4,))); opt.zero_grad(); loss.backward(); opt.step()
