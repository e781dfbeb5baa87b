"""LoRA: A is random, B is zero, the base is frozen."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Lora(nn.Module):
    def __init__(self, base, r=4):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.a = nn.Parameter(torch.randn(r, base.in_features) / 10)
        self.b = nn.Parameter(torch.zeros(base.out_features, r))

    def forward(self, x):
        return self.base(x) + x @ self.a.T @ self.b.T


model = nn.Sequential(Lora(nn.Linear(6, 16)), nn.Tanh(), Lora(nn.Linear(16, 2)))
opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=0.01)
for step in range(15):
    x = torch.randn(32, 6)
    loss = nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
