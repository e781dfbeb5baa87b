import torch
import torch.nn as nn

torch.manual_seed(0)


class LoraLayer(nn.Module):
    def __init__(self, lin, r):
        super().__init__()
        self.lin = lin
        self.lora_down = nn.Linear(lin.in_features, r, bias=False)
        self.lora_up = nn.Linear(r, lin.out_features, bias=False)
        nn.init.zeros_(self.lora_up.weight)

    def forward(self, x):
        return self.lin(x) + self.lora_up(self.lora_down(x))


class PeftModel(nn.Module):
    def __init__(self, base, r=2):
        super().__init__()
        self.base = base
        self.inject(r)
        self.freeze_base()
        self.score = nn.Linear(4, 2)

    def inject(self, r):
        for name, m in list(self.base.named_children()):
            if isinstance(m, nn.Linear):
                setattr(self.base, name, LoraLayer(m, r))

    def freeze_base(self):
        for p in self.base.parameters():
            p.requires_grad = False  # <- cause

    def forward(self, x):
        return self.score(self.base(x))


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(6, 8), nn.Linear(8, 4)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))


m = PeftModel(Base())
opt = torch.optim.AdamW([p for p in m.parameters() if p.requires_grad], 1e-2)
x, y = torch.randn(30, 6), torch.randint(0, 2, (30,))
for _ in range(12):
    loss = nn.functional.cross_entropy(m(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
