import torch, torch.nn as nn
torch.manual_seed(0)
class Sampler:
    def __init__(self, net): self.net = net
    def sample(self, n):
        torch._C._set_grad_enabled(False)  # <- cause
        z = torch.randn(n, 4)
        return self.net(z)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 4))
opt = torch.optim.SGD(net.parameters(), 0.1)
s = Sampler(net)
for i in range(3):
    x = torch.randn(8, 4)
    loss = (net(x) - x).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    s.sample(2)
