"""A soft prompt is added, then the whole language model is frozen with a helper; only the norm is switched on again."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class TinyLM(nn.Module):
    def __init__(self, vocab=20, dim=8):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.block = nn.TransformerEncoderLayer(dim, 2, 16, dropout=0.0, batch_first=True)
        self.norm = nn.LayerNorm(dim)
        self.out = nn.Linear(dim, vocab)
        self.prompt = None

    def forward(self, ids):
        x = self.embed(ids)
        if self.prompt is not None:
            x = torch.cat([self.prompt.expand(len(x), -1, -1), x], 1)
        return self.out(self.norm(self.block(x))[:, -1])


def add_prompt(model, length, dim):
    model.prompt = nn.Parameter(torch.randn(1, length, dim) * 0.02)


def freeze(model):
    for _, p in model.named_parameters():
        p.requires_grad = False  # <- cause


def main():
    model = TinyLM()
    add_prompt(model, 3, 8)
    freeze(model)  # <- cause
    for p in model.norm.parameters():
        p.requires_grad = True
    opt = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=1e-2)
    ids = torch.randint(0, 20, (24, 6))
    for _ in range(12):
        loss = nn.functional.cross_entropy(model(ids), ids[:, 0])
        opt.zero_grad()
        loss.backward()
        opt.step()


main()
