import copy
import random

import torch
import torch.nn as nn

torch.manual_seed(0)
q = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 3))
target = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 3))
target.load_state_dict(q.state_dict())
opt = torch.optim.RMSprop(q.parameters(), 1e-3)
memory = []
for step in range(30):
    s = torch.randn(4)
    a = int(q(s).argmax()) if random.random() > 0.3 else random.randrange(3)
    memory.append((s, a, float(s[a] > 0), torch.randn(4)))
    if len(memory) < 8:
        continue
    batch = random.sample(memory, 8)
    S = torch.stack([b[0] for b in batch])
    A = torch.tensor([b[1] for b in batch])
    R = torch.tensor([b[2] for b in batch])
    S2 = torch.stack([b[3] for b in batch])
    y = R + 0.9 * target(S2).max(1)[0].detach()
    loss = nn.functional.smooth_l1_loss(q(S).gather(1, A[:, None]).squeeze(1), y)
    opt.zero_grad()
    loss.backward()
    for p in q.parameters():
        p.grad.data.clamp_(-1, 1)
    opt.step()
    if step % 5 == 0:
        target.load_state_dict(q.state_dict())
