import torch, torch.nn as nn
torch.manual_seed(0)
enc = nn.Sequential(nn.Linear(6, 12), nn.ReLU())
dec = nn.Sequential(nn.Linear(12, 12), nn.ReLU(), nn.Linear(12, 3))
opt = torch.optim.Adam(list(enc.parameters()) + list(dec.parameters()), 1e-2)
def train_step(x, y):
    h = enc(x)
    h = h.clone().detach().requires_grad_(True)  # <- cause
    loss = nn.functional.cross_entropy(dec(h), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    return h.grad.norm().item()
for i in range(12):
    train_step(torch.randn(16, 6), torch.randint(0, 3, (16,)))
