"""A plain tensor is switched to requires_grad and initialised, but never made a Parameter."""

import math

import torch
import torch.nn as nn

torch.manual_seed(0)


class GraphConv(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.weight = torch.empty(a, b).requires_grad_()  # <- cause
        self.bias = nn.Parameter(torch.zeros(b))
        self.reset()

    def reset(self):
        with torch.no_grad():
            self.weight.uniform_(-1 / math.sqrt(len(self.weight)), 1 / math.sqrt(len(self.weight)))

    def forward(self, adj, x):
        return adj @ (x @ self.weight) + self.bias


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = GraphConv(5, 8), GraphConv(8, 3)

    def forward(self, adj, x):
        return self.two(adj, torch.relu(self.one(adj, x)))


def main():
    adj = torch.softmax(torch.randn(15, 15), 1)
    x, y = torch.randn(15, 5), torch.randint(0, 3, (15,))
    gcn = GCN()
    optim = torch.optim.Adam(gcn.parameters(), lr=0.01)
    for _ in range(12):
        gcn.train()
        optim.zero_grad()
        loss = nn.functional.cross_entropy(gcn(adj, x), y)
        loss.backward()
        optim.step()


if __name__ == "__main__":
    main()
