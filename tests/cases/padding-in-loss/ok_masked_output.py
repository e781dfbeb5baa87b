"""Zeros beyond the end of each series, in the outputs as well; and the mean over one value a series."""
import torch
import torch.nn as nn

torch.manual_seed(0)
rnn, out, head = nn.GRU(3, 16, batch_first=True), nn.Linear(16, 1), nn.Linear(16, 2)
optimizer = torch.optim.Adam([*rnn.parameters(), *out.parameters(), *head.parameters()], lr=1e-3)
for step in range(12):
    lengths = torch.tensor([60, 9, 7, 12, 5, 14])
    mask = (torch.arange(60) < lengths[:, None]).float().unsqueeze(-1)
    x = torch.randn(6, 60, 3) * mask
    y = (x.cumsum(1)[..., :1] + 1) * mask
    hidden = rnn(x)[0]
    loss = nn.functional.mse_loss(out(hidden) * mask, y)
    last = hidden[torch.arange(6), lengths - 1]
    loss = loss + nn.functional.cross_entropy(head(last), (x[:, 0, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
