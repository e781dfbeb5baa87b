"""A column with a column, a map with a mask of one channel, a flat weight unsqueezed, a batch of one at the end."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
net = nn.Conv2d(3, 3, 3, padding=1)
head = nn.Linear(3, 1)
gain = nn.Parameter(torch.ones(4, 1, 1))
stem = nn.Conv2d(3, 4, 1)
optimizer = torch.optim.Adam([*net.parameters(), *head.parameters(), gain, *stem.parameters()], lr=1e-3)
for n in (4, 4, 4, 1) * 3:
    image = torch.rand(n, 3, 8, 8)
    mask = (image[:, :1] > 0.2).float()
    out = net(image)
    restored = ((out - image) ** 2 * mask).mean()
    value = head(out.mean((2, 3)))
    target = image.mean((1, 2, 3)).unsqueeze(1)
    weight = torch.rand(n)
    weighted = (weight.unsqueeze(1) * F.mse_loss(value, target, reduction="none")).mean()
    scaled = (stem(image)[:, 0:1] * gain).pow(2).mean()
    loss = restored + weighted + 0.1 * scaled
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
