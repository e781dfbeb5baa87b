import torch
from torch import nn

chooser, table = nn.Linear(8, 5), nn.Embedding(5, 3)
opt = torch.optim.Adam([*chooser.parameters(), *table.parameters()])
for step in range(10):
    scores = chooser(torch.randn(4, 8))
    loss = table(scores.argmax(dim=1)).pow(2).mean()  # <- cause
    opt.zero_grad()
    loss.backward()
    opt.step()
