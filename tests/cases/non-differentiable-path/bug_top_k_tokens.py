"""Token pruning: only topk's indices are used, the scores themselves never enter."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Pruned(nn.Module):
    def __init__(self, dim=16, keep=4):
        super().__init__()
        self.keep = keep
        self.inp = nn.Linear(6, dim)
        self.scorer = nn.Sequential(nn.Linear(dim, 8), nn.GELU(), nn.Linear(8, 1))
        self.head = nn.Linear(dim, 3)

    def select(self, h):
        scores = self.scorer(h).squeeze(-1)
        idx = scores.topk(self.keep, dim=1).indices  # <- cause
        return h.gather(1, idx.unsqueeze(-1).expand(-1, -1, h.size(-1)))

    def forward(self, x):
        return self.head(self.select(self.inp(x)).mean(1))


model = Pruned()
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(15):
    x, y = torch.randn(16, 10, 6), torch.randint(0, 3, (16,))
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
