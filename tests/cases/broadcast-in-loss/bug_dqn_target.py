"""Q-learning: rewards [N], the next values [N, 1]: the target is [N, N] before it meets the prediction."""
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
q_net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 3))
target_net = copy.deepcopy(q_net)
optimizer = torch.optim.Adam(q_net.parameters(), lr=1e-3)
for step in range(15):
    state, next_state = torch.randn(32, 4), torch.randn(32, 4)
    action, reward, done = torch.randint(0, 3, (32, 1)), torch.randn(32), torch.zeros(32, 1)
    q = q_net(state).gather(1, action)
    with torch.no_grad():
        best = target_net(next_state).max(1, keepdim=True)[0]
        target = reward + 0.99 * best * (1 - done)  # <- cause
    loss = F.smooth_l1_loss(q, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
