"""Class token and positions with trunc_normal_, both registered as buffers in a helper."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class TinyViT(nn.Module):
    def __init__(self, dim=12, patches=9):
        super().__init__()
        self.proj = nn.Linear(4, dim)
        self._add("cls_token", 1, 1, dim)
        self._add("pos_embed", 1, patches + 1, dim)
        self.block = nn.TransformerEncoderLayer(dim, 2, 24, dropout=0.0, batch_first=True)
        self.head = nn.Linear(dim, 2)

    def _add(self, name, *shape):
        weight = torch.empty(*shape)
        nn.init.trunc_normal_(weight, std=0.02)
        self.register_buffer(name, weight)  # <- cause

    def forward(self, x):
        x = self.proj(x)
        x = torch.cat([self.cls_token.expand(len(x), -1, -1), x], 1) + self.pos_embed
        return self.head(self.block(x)[:, 0])


net = TinyViT()
opt = torch.optim.Adam(net.parameters(), 1e-3)
x, y = torch.randn(16, 9, 4), torch.randint(0, 2, (16,))
for _ in range(12):
    opt.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    opt.step()
