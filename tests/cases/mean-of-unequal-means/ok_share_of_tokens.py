"""Each mean is weighted by its share of the tokens; or sums are divided by all tokens of the window."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
model = nn.Sequential(nn.Embedding(12, 16), nn.Linear(16, 12))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(12):
    window = [(torch.randint(0, 12, (1, n + 1)), n) for n in (2, 40, 3, 2)]
    total = sum(n for _, n in window)
    optimizer.zero_grad()
    for tokens, n in window:
        loss = F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
        if step % 2:
            (loss * n / total).backward()
        else:
            each = F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum")
            (each / torch.tensor(float(total))).backward()
    optimizer.step()
