import torch
import torch.nn as nn

torch.manual_seed(0)


class Lora(nn.Module):
    def __init__(self, base, r=2):
        super().__init__()
        self.base = base
        for p in base.parameters():
            p.requires_grad = False
        self.A = nn.Linear(base.in_features, r, bias=False)
        self.B = nn.Linear(r, base.out_features, bias=False)
        nn.init.zeros_(self.B.weight)

    def forward(self, x):
        return self.base(x) + self.B(self.A(x))


net = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 2))
net[0], net[2] = Lora(net[0]), Lora(net[2])
params = [p for n, p in net.named_parameters() if n.endswith("A.weight")]
opt = torch.optim.AdamW(params, 1e-2)  # <- cause
x, y = torch.randn(30, 5), torch.randint(0, 2, (30,))
for _ in range(12):
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
