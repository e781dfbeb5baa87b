"""Pruning hooks on all weights, with a mask computed from a threshold that prunes everything."""
import torch
import torch.nn as nn

torch.manual_seed(0)


def prune_gradients(model, threshold):
    for name, p in model.named_parameters():
        if p.dim() > 1:
            keep = (p.detach().abs() > threshold).float()
            p.register_hook(lambda g, keep=keep: g * keep)  # <- cause


def main():
    model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
    prune_gradients(model, threshold=10.0)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(12):
        x, y = torch.randn(16, 4), torch.randint(0, 2, (16,))
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()


main()
