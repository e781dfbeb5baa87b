import torch
from torch import nn

model = nn.Linear(8, 5)
opt = torch.optim.Adam(model.parameters())
for step in range(10):
    x, y = torch.randn(4, 8), torch.randint(0, 5, (4,))
    scores = model(x)
    right = (scores.argmax(dim=1) == y).float().mean()
    loss = nn.functional.cross_entropy(scores, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(right)
