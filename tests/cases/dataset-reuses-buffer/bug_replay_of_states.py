"""A replay buffer keeps references to the array that the environment changes."""
import random

import numpy as np
import torch
import torch.nn as nn


class Walk:
    def __init__(self):
        self.state = np.zeros(4, dtype=np.float32)

    def step(self, action):
        self.state += np.random.randn(4).astype(np.float32) * 0.1
        self.state[0] += 0.1 * (action - 0.5)
        return self.state, float(self.state.sum())


torch.manual_seed(0)
np.random.seed(0)
random.seed(0)
env, memory = Walk(), []
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for t in range(80):
    state, reward = env.step(random.randint(0, 1))
    memory.append((state, reward))
    if len(memory) >= 32:
        picked = random.sample(memory, 16)
        states = torch.tensor(np.stack([s for s, _ in picked]))  # <- cause
        rewards = torch.tensor([r for _, r in picked]).unsqueeze(1)
        loss = nn.functional.mse_loss(net(states), rewards)
        opt.zero_grad()
        loss.backward()
        opt.step()
