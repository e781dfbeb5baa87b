import torch
import torch.nn as nn

torch.manual_seed(0)


class Pinn(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
        self.x = torch.linspace(0, 1, 30).unsqueeze(1).requires_grad_(True)
        self.lam = nn.Parameter(torch.ones(1))

    def residual(self):
        u = self.net(self.x)
        du = torch.autograd.grad(u, self.x, torch.ones_like(u), create_graph=True)[0]
        return (du + self.lam * u).pow(2).mean() + (self.net(torch.zeros(1, 1)) - 1).pow(2).mean()


m = Pinn()
opt = torch.optim.LBFGS(m.parameters(), max_iter=5)


def closure():
    opt.zero_grad()
    l = m.residual()
    l.backward()
    return l


for _ in range(5):
    opt.step(closure)
adam = torch.optim.Adam(m.parameters(), 1e-3)
for _ in range(8):
    adam.zero_grad()
    m.residual().backward()
    adam.step()
