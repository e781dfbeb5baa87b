import torch
from torch.autograd import Variable


class Clamp(torch.autograd.Function):
    def forward(self, x):
        self.save_for_backward(x)
        return x.clamp(-1, 1)

    def backward(self, grad):
        return grad


def squash(x):
    return Clamp()(x)  # <- cause


def evaluate(model, batch):
    return model(Variable(batch, volatile=True))  # <- note
