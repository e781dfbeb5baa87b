import torch, torch.nn as nn
from torch.distributions import Normal
torch.manual_seed(0)
class VAE(nn.Module):
    def __init__(s): super().__init__(); s.mu = nn.Linear(5, 2); s.lv = nn.Linear(5, 2); s.dec = nn.Linear(2, 5)
    def forward(s, x):
        q = Normal(s.mu(x), (0.5 * s.lv(x)).exp())
        z = q.sample()  # <- cause
        return s.dec(z)
m = VAE(); opt = torch.optim.Adam(m.parameters(), 1e-2)
for i in range(12):
    x = torch.randn(16, 5); loss = (m(x) - x).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step()
