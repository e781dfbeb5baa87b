"""p * log(p) of probabilities that are exactly zero, NaN replaced in the value only."""
import torch
import torch.nn as nn

torch.manual_seed(0)


def entropy(p):
    h = p * torch.log(p)  # <- cause
    h = torch.where(torch.isnan(h), torch.zeros_like(h), h)
    return -h.sum(-1).mean()


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 5))

    def forward(self, obs, legal):
        return (self.net(obs).masked_fill(~legal, float("-inf"))).softmax(-1)


policy = Policy()
opt = torch.optim.Adam(policy.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu")
for step in range(40):
    obs, legal = torch.randn(16, 4), torch.rand(16, 5) > 0.3
    legal[:, 0] = True
    p = policy(obs, legal)
    action = torch.multinomial(p.detach(), 1)
    loss = -(p.gather(1, action).squeeze(1).log() * torch.randn(16)).mean() - 0.01 * entropy(p)
    opt.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(opt)
    scaler.update()
