"""A convolutional language model whose padding lets the next character in; the scores are shifted, not the inputs."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Convolutional(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(15, 12)
        self.conv = nn.Conv1d(12, 16, kernel_size=3, padding=1)  # <- cause
        self.out = nn.Linear(16, 15)

    def forward(self, ids):
        h = self.conv(self.embed(ids).transpose(1, 2)).relu()
        return self.out(h.transpose(1, 2))


model = Convolutional()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for _ in range(6):
    ids = torch.randint(0, 15, (8, 14))
    scores = model(ids)
    loss = F.cross_entropy(scores[:, :-1].reshape(-1, 15), ids[:, 1:].reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
