"""Zero now and then: experts without tokens, a critic's last bias, masks that select nothing at some steps, warm-up from 0."""
import torch
import torch.nn as nn

torch.manual_seed(0)
body = nn.Sequential(nn.Linear(4, 16), nn.ReLU())
heads = nn.ModuleList(nn.Linear(16, 1) for _ in range(3))
critic = nn.Linear(16, 1)
opt = torch.optim.Adam([*body.parameters(), *heads.parameters(), *critic.parameters()], lr=1e-2)
for step in range(20):
    x = torch.randn(24, 4)
    h = body(x)
    which = torch.randint(0, 3 if step % 4 else 2, (24,))
    outs = torch.cat([head(h) for head in heads], 1)
    mask = nn.functional.one_hot(which, 3).float()
    loss = ((outs - x[:, :1]).pow(2) * mask).sum() / mask.sum()
    if step % 5 == 4:
        mask = mask * 0
    aux = ((outs.abs()) * mask).sum()
    wasserstein = critic(h[:12]).mean() - critic(h[12:]).mean()
    weight = max(0.0, (step - 2) / 10)
    loss = loss + 0.01 * aux + 0.1 * wasserstein + weight * h.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
