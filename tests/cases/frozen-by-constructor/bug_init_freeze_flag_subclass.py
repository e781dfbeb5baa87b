import torch
import torch.nn as nn

torch.manual_seed(0)


class VisionTower(nn.Module):
    def __init__(self, dim=8, *, freeze_vision=True):  # <- cause
        super().__init__()
        self.freeze_vision = freeze_vision
        self.patch = nn.Linear(4, dim)
        self.mlp = nn.Linear(dim, dim)
        self._maybe_freeze()

    def _maybe_freeze(self):
        if not self.freeze_vision:
            return
        for p in self.parameters():
            p.requires_grad_(False)  # <- cause

    def forward(self, x):
        return torch.relu(self.mlp(self.patch(x)))


class VLM(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.vision = VisionTower(**cfg["vision"])  # <- cause
        self.text = nn.Embedding(10, 8)
        self.head = nn.Linear(16, 3)

    def forward(self, x, t):
        return self.head(torch.cat([self.vision(x), self.text(t)], -1))


m = VLM({"vision": {"dim": 8}})
opt = torch.optim.AdamW(m.parameters(), 1e-3)
for _ in range(12):
    x, t = torch.randn(9, 4), torch.randint(0, 10, (9,))
    loss = nn.functional.cross_entropy(m(x, t), t % 3)
    opt.zero_grad()
    loss.backward()
    opt.step()
