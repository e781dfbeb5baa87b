"""DETR-like object queries registered as a buffer."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class Decoder(nn.Module):
    def __init__(self, n_queries=4, dim=8):
        super().__init__()
        self.register_buffer("query_embed", torch.randn(n_queries, dim))  # <- cause
        self.attn = nn.MultiheadAttention(dim, 2, batch_first=True)
        self.box = nn.Linear(dim, 2)

    def forward(self, memory):
        q = self.query_embed.unsqueeze(0).expand(memory.shape[0], -1, -1)
        out, _ = self.attn(q, memory, memory)
        return self.box(out).sigmoid()


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Linear(5, 8)
        self.decoder = Decoder()

    def forward(self, x):
        return self.decoder(self.backbone(x))


model = Detector()
opt = torch.optim.AdamW(model.parameters(), 1e-2)
x, boxes = torch.randn(10, 7, 5), torch.rand(10, 4, 2)
for _ in range(12):
    loss = nn.functional.l1_loss(model(x), boxes)
    opt.zero_grad()
    loss.backward()
    opt.step()
