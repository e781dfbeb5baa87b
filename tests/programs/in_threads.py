"""Training in a thread, then in two at once (each with its own model), with an evaluation in the main thread."""

import threading

import torch
from torch import nn

losses = {"alone": [], "left": [], "right": []}
models = {}


def train(name, seed, barrier):
    generator = torch.Generator().manual_seed(seed)
    model = models[name]
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.5)
    for step in range(10):
        x = torch.randn(16, 4, generator=generator)
        loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        barrier.wait()
        optimizer.step()
        losses[name].append(loss.item())
        barrier.wait()


torch.manual_seed(1)
for name in ("alone", "left", "right"):
    models[name] = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
thread = threading.Thread(target=train, args=("alone", 1, threading.Barrier(1)))
thread.start()
thread.join()
both = threading.Barrier(2)
threads = [threading.Thread(target=train, args=(n, i, both)) for i, n in enumerate(("left", "right"))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
with torch.no_grad():
    print([models[name](torch.ones(1, 4)).item() for name in models])
for name in losses:
    print(name, losses[name])
