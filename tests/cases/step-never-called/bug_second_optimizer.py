"""Two optimizers, one of which is never stepped."""

import torch
import torch.nn as nn

torch.manual_seed(0)
body = nn.Sequential(nn.Embedding(20, 8), nn.Flatten(), nn.Linear(32, 8))
head = nn.Linear(8, 4)
opt_body = torch.optim.Adam(body.parameters(), lr=1e-3)  # <- cause
opt_head = torch.optim.Adam(head.parameters(), lr=1e-2)
for _ in range(14):
    ids = torch.randint(0, 20, (16, 4))
    loss = nn.functional.cross_entropy(head(body(ids)), ids[:, 0] % 4)
    for opt in (opt_body, opt_head):
        opt.zero_grad()
    loss.backward()  # <- cause
    opt_head.step()
