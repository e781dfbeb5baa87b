import torch


def sgd(parameters, lr):
    with torch.no_grad():
        for p in parameters:
            p = p - lr * p.grad  # <- cause


def train(model, loss_of):
    for _ in range(10):
        loss_of(model).backward()
        sgd(model.parameters(), 0.1)
        for name, w in model.named_parameters():
            w = w.data - 0.1 * w.grad  # <- cause
