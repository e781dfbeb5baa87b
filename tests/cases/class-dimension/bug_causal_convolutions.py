"""A causal language model of convolutions, whose scores are [batch, classes, time]: a view gives each score other positions."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
text = torch.randint(0, 11, (600,))


class Causal(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(11, 16)
        self.mix = nn.Conv1d(16, 16, 3)
        self.out = nn.Conv1d(16, 11, 1)

    def forward(self, tokens):
        h = self.embed(tokens).transpose(1, 2)
        return self.out(F.relu(self.mix(F.pad(h, (2, 0)))))


model = Causal()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
for _ in range(6):
    starts = torch.randint(0, 580, (8,)).tolist()
    tokens = torch.stack([text[i : i + 12] for i in starts])
    following = torch.stack([text[i + 1 : i + 13] for i in starts])
    scores = model(tokens)
    loss = F.cross_entropy(scores.view(-1, 11), following.view(-1))  # <- cause
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
