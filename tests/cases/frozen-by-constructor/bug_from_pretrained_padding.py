"""Two embeddings share pretrained vectors; both are frozen by from_pretrained."""

import torch
import torch.nn as nn

torch.manual_seed(0)
vectors = torch.randn(40, 6)


class Matcher(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = nn.Embedding.from_pretrained(vectors.clone(), padding_idx=0)  # <- cause
        self.document = nn.Embedding.from_pretrained(  # <- cause
            vectors.clone(),
            padding_idx=0,
        )
        self.mix = nn.Linear(6, 6)

    def forward(self, q, d):
        return (self.mix(self.query(q).mean(1)) * self.document(d).mean(1)).sum(1)


model = Matcher()
opt = torch.optim.Adagrad([{"params": model.query.parameters()}, {"params": model.document.parameters()}, {"params": model.mix.parameters()}], lr=0.05)
q, d = torch.randint(0, 40, (32, 3)), torch.randint(0, 40, (32, 5))
y = (q[:, 0] > d[:, 0]).float()
for _ in range(12):
    opt.zero_grad()
    nn.functional.binary_cross_entropy_with_logits(model(q, d), y).backward()
    opt.step()
