"""Embeddings of padding are zero vectors, and they are divided by their norm."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class TextEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(20, 8, padding_idx=0)
        self.project = nn.Linear(8, 8, bias=False)

    def forward(self, tokens):
        h = self.project(self.embed(tokens))
        mask = (tokens != 0).float().unsqueeze(-1)
        norm = (h * h).sum(-1, keepdim=True).sqrt()  # <- cause
        unit = h / (norm + 1e-8)
        return (unit * mask).sum(1) / mask.sum(1)


encoder, head = TextEncoder(), nn.Linear(8, 3)
opt = torch.optim.AdamW([*encoder.parameters(), *head.parameters()], lr=1e-3)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
tokens = torch.randint(1, 20, (32, 6))
tokens[::2, 4:] = 0
labels = torch.randint(0, 3, (32,))
for step in range(30):
    opt.zero_grad(set_to_none=True)
    loss = nn.functional.cross_entropy(head(encoder(tokens)), labels)
    scaler.scale(loss).backward()
    scaler.step(opt)
    scaler.update()
