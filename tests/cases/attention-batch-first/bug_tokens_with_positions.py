"""A label for each token: both axes arrive at the loss, but positions are added along the one taken for the batch."""

import torch
from torch import nn

torch.manual_seed(0)


class Tagger(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.embed = nn.Embedding(15, width)
        self.positions = nn.Parameter(torch.zeros(1, 10, width))
        self.attention = nn.MultiheadAttention(width, 4)  # <- cause
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, 15)

    def forward(self, tokens):
        x = self.embed(tokens) + self.positions[:, : tokens.shape[1]]
        attended, _ = self.attention(x, x, x)
        return self.out(self.norm(x + attended))


model = Tagger()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()
for _ in range(6):
    tokens = torch.randint(0, 15, (16, 10))
    optimizer.zero_grad()
    loss = criterion(model(tokens).transpose(1, 2), tokens.flip(1))
    loss.backward()
    optimizer.step()
print(loss.item())
