"""A constructor takes given word vectors and a pretrained encoder, and ends with an initialisation of everything."""

import torch
from torch import nn

torch.manual_seed(0)
vectors = torch.from_numpy(torch.randn(40, 12).numpy() * 3)
ids = torch.randint(0, 40, (64, 6))
labels = (ids.float().mean(1) > 20).long()


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding.from_pretrained(vectors, freeze=False)
        self.encoder = nn.Linear(12, 24)
        self.head = nn.Linear(24, 2)
        self.reset()

    def reset(self):
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.xavier_normal_(p)  # <- cause

    def forward(self, ids):
        return self.head(torch.relu(self.encoder(self.embed(ids).mean(1))))


model = Classifier()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(3):
    for rows in torch.randperm(64).split(16):
        opt.zero_grad()
        nn.functional.cross_entropy(model(ids[rows]), labels[rows]).backward()
        opt.step()
