import torch
import torch.nn as nn

torch.manual_seed(0)
gen = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
dis = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
opt_g = torch.optim.Adam(gen.parameters(), 1e-3)
opt_d = torch.optim.Adam(gen.parameters(), 1e-3)  # <- cause
bce = nn.functional.binary_cross_entropy_with_logits
for _ in range(12):
    real, fake = torch.randn(16, 2) + 2, gen(torch.randn(16, 4))
    ld = bce(dis(real), torch.ones(16, 1)) + bce(dis(fake.detach()), torch.zeros(16, 1))
    opt_d.zero_grad()
    ld.backward()
    opt_d.step()
    lg = bce(dis(fake), torch.ones(16, 1))
    opt_g.zero_grad()
    lg.backward()
    opt_g.step()
