"""Pixels from NumPy, cast to float32, in a trainer's own loop; a hand-written loss."""
import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(0)
rng = np.random.default_rng(0)
images = rng.integers(0, 256, (200, 64)).astype(np.float32)
labels = rng.integers(0, 4, 200)


def fit(model, opt, x, y, steps):
    for step in range(steps):
        i = torch.randint(0, len(x), (25,))
        logp = torch.log_softmax(model(x[i]), dim=1)
        loss = -logp[torch.arange(25), y[i]].mean()
        opt.zero_grad()
        loss.backward()
        opt.step()


x = torch.from_numpy(images)  # <- cause
y = torch.tensor(labels)
net = nn.Sequential(nn.Linear(64, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 4))
fit(net, torch.optim.SGD(net.parameters(), lr=0.05), x, y, 20)
