"""no_grad on the forward of one submodule (left over from deployment)."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Patches(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Conv2d(1, 8, 4, stride=4)

    @torch.no_grad()  # <- cause
    def forward(self, x):
        x = self.proj(x)  # <- cause
        return x.flatten(2).transpose(1, 2)


class Vit(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = Patches()
        self.block = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        return self.head(self.block(self.patches(x)).mean(1))


model = Vit()
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(15):
    x, y = torch.randn(8, 1, 16, 16), torch.randint(0, 4, (8,))
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
