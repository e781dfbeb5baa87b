"""batch_first=True, and an embedding that was turned to [positions, batch, width]; the first position is read."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Matcher(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.embed = nn.Embedding(12, width)
        self.attention = nn.MultiheadAttention(width, 2, batch_first=True)  # <- cause
        self.head = nn.Linear(width, 2)

    def forward(self, tokens):
        x = self.embed(tokens).permute(1, 0, 2)
        y, _ = self.attention(x, x, x, need_weights=False)
        return self.head((x + y)[0])


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step(self, tokens, labels):
        self.optimizer.zero_grad()
        loss = F.cross_entropy(self.model(tokens), labels)
        loss.backward()
        self.optimizer.step()
        return loss.item()


trainer = Trainer(Matcher())
for _ in range(6):
    tokens = torch.randint(0, 12, (18, 6))
    loss = trainer.step(tokens, (tokens[:, 1:] == tokens[:, :1]).any(1).long())
print(loss)
