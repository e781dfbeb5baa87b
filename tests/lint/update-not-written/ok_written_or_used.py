import torch


def sgd(parameters, lr):
    new = []
    with torch.no_grad():
        for p in parameters:
            p -= lr * p.grad
        for p in parameters:
            p.data = p - lr * p.grad
        for p in parameters:
            p = p - lr * p.grad
            new.append(p)
    return new


def train(model):
    return sgd(model.parameters(), 0.1)
