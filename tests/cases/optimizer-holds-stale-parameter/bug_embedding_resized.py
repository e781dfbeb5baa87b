"""The token embedding is resized after the optimizer was made (and tied weights are lost with it)."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class LM(nn.Module):
    def __init__(self, vocab, dim=8):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, vocab)

    def resize(self, vocab):
        new = nn.Embedding(vocab, self.embed.embedding_dim)  # <- cause
        with torch.no_grad():
            n = min(vocab, self.embed.num_embeddings)
            new.weight[:n] = self.embed.weight[:n]
        self.embed = new  # <- cause
        self.out = nn.Linear(self.out.in_features, vocab)  # <- cause

    def forward(self, ids):
        return self.out(self.rnn(self.embed(ids))[0])


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optim = torch.optim.AdamW(model.parameters(), lr=1e-2)  # <- cause

    def step(self, ids):
        logits = self.model(ids[:, :-1])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
        self.optim.zero_grad()
        loss.backward()
        self.optim.step()
        return loss


model = LM(20)
trainer = Trainer(model)
model.resize(24)  # <- cause
for _ in range(12):
    trainer.step(torch.randint(0, 24, (8, 7)))
