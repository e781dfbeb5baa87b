"""The best key of every query becomes a Python list of indices, and the table is looked up with that."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Retriever(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = nn.Linear(4, 6)
        self.keys = nn.Embedding(10, 6)
        self.read = nn.Linear(6, 1)

    def forward(self, x):
        scores = self.query(x) @ self.keys.weight.t()
        best = [row.argmax().item() for row in scores]  # <- cause
        return self.read(self.keys(torch.tensor(best)))


model = Retriever()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(12):
    x = torch.randn(8, 4)
    loss = (model(x) - x[:, :1]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
