"""A learning rate of 1e-12 for weights of the order of 1."""

import torch
import torch.nn as nn

torch.manual_seed(0)


def main():
    net = nn.Embedding(20, 8)
    nn.init.uniform_(net.weight, 1.0, 2.0)
    out = nn.Linear(8, 4)
    nn.init.uniform_(out.weight, 1.0, 2.0)
    nn.init.ones_(out.bias)
    opt = torch.optim.Adam([*net.parameters(), *out.parameters()], lr=1e-12)  # <- cause
    ids = torch.arange(20)
    for _ in range(12):
        loss = nn.functional.cross_entropy(out(net(ids)), ids % 4)
        opt.zero_grad()
        loss.backward()
        opt.step()


main()
