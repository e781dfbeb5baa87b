"""Training and evaluation phases with set_grad_enabled, EMA under no_grad, inference_mode evaluation."""
import copy

import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 2))
ema = copy.deepcopy(model)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
x, y = torch.randn(64, 4), torch.randint(0, 2, (64,))


@torch.no_grad()
def update_ema():
    for p, q in zip(model.parameters(), ema.parameters()):
        q.lerp_(p, 0.1)


@torch.inference_mode()
def accuracy(net):
    net.eval()
    return (net(x).argmax(1) == y).float().mean().item()


for epoch in range(12):
    for phase in ("train", "val"):
        model.train(phase == "train")
        with torch.set_grad_enabled(phase == "train"):
            logits = model(x)
            loss = nn.functional.cross_entropy(logits, y)
        if phase == "train":
            opt.zero_grad()
            loss.backward()
            opt.step()
            update_ema()
    accuracy(model), accuracy(ema)
