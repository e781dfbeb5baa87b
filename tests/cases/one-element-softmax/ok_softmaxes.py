"""Softmax over real alternatives; a sequence that sometimes has length 1; multi-head attention with a bias on keys."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Pool(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.score = nn.Linear(8, 1)
        self.out = nn.Linear(8, 3)

    def forward(self, x):
        h, _ = self.attention(x, x, x)
        w = torch.softmax(self.score(h), dim=1)
        return self.out((w * h).sum(1))


model = Pool()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(20):
    length = 1 if step % 4 == 3 else 5
    x, y = torch.randn(16, length, 8), torch.randint(0, 3, (16,))
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
