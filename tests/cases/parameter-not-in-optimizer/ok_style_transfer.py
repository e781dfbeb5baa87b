"""The image is the parameter; the (random) feature network is fixed, and its gradients are ignored."""

import torch
import torch.nn as nn

torch.manual_seed(0)
features = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Conv2d(8, 8, 3))
target = torch.rand(1, 1, 12, 12)
image = torch.rand(1, 1, 12, 12).requires_grad_()
opt = torch.optim.LBFGS([image], max_iter=4)


def gram(f):
    f = f.flatten(2)
    return f @ f.transpose(1, 2) / f.shape[-1]


for _ in range(6):

    def closure():
        opt.zero_grad()
        loss = (gram(features(image)) - gram(features(target))).pow(2).sum()
        loss.backward()
        return loss

    opt.step(closure)
