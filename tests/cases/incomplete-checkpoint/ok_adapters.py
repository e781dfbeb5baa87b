"""A frozen, pretrained base, and adapters whose state is loaded on its own; the new adapter trains."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(96, 8)
y = (x @ torch.randn(8, 3)).argmax(1)


class Layer(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.base = nn.Linear(n_in, n_out)
        self.down = nn.Linear(n_in, 2, bias=False)
        self.up = nn.Linear(2, n_out, bias=False)

    def forward(self, x):
        return self.base(x) + self.up(self.down(x))


def build():
    return nn.Sequential(Layer(8, 32), nn.ReLU(), Layer(32, 3))


pretrained = {k: v.clone() for k, v in build().state_dict().items() if "base" in k}
adapters = {k: v.clone() for k, v in build().state_dict().items() if k.startswith("0.") and "base" not in k}
model = build()
model.load_state_dict(pretrained, strict=False)
model.load_state_dict(adapters, strict=False)
for name, p in model.named_parameters():
    p.requires_grad = "base" not in name
opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-2)
for _ in range(3):
    for rows in torch.randperm(96).split(16):
        opt.zero_grad()
        nn.functional.cross_entropy(model(x[rows]), y[rows]).backward()
        opt.step()
