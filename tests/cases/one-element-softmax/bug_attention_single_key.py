"""Cross attention whose memory is one pooled vector: the softmax has one key."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class CrossAttention(nn.Module):
    def __init__(self, dim=16, heads=2):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v = (nn.Linear(dim, dim) for _ in range(3))
        self.out = nn.Linear(dim, dim)

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.heads, -1).transpose(1, 2)

    def forward(self, x, memory):
        q, k, v = self.split(self.q(x)), self.split(self.k(memory)), self.split(self.v(memory))
        scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
        attention = torch.softmax(scores, dim=-1)  # <- cause
        return self.out((attention @ v).transpose(1, 2).flatten(2))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp = nn.Linear(5, 16)
        self.context = nn.Linear(7, 16)
        self.cross = CrossAttention()
        self.head = nn.Linear(16, 1)

    def forward(self, x, c):
        h = self.inp(x)
        memory = self.context(c).mean(1, keepdim=True)
        return self.head(h + self.cross(h, memory)).squeeze(-1)


model = Net()
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(12):
    x, c = torch.randn(8, 6, 5), torch.randn(8, 4, 7)
    loss = (model(x, c) - x.sum(-1)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
