"""An init function applied to the whole adapter zeroes both of its layers."""
import torch
import torch.nn as nn

torch.manual_seed(0)


def zero_init(module):
    if isinstance(module, nn.Linear):
        nn.init.zeros_(module.weight)  # <- cause
        nn.init.zeros_(module.bias)


class Adapter(nn.Module):
    def __init__(self, dim, hidden=4):
        super().__init__()
        self.down = nn.Linear(dim, hidden)
        self.up = nn.Linear(hidden, dim)
        self.apply(zero_init)

    def forward(self, h):
        return h + self.up(torch.tanh(self.down(h)))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp = nn.Linear(5, 16)
        self.adapter = Adapter(16)
        self.out = nn.Linear(16, 1)

    def forward(self, x):
        return self.out(self.adapter(torch.relu(self.inp(x))))


def main():
    model = Model()
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(15):
        x = torch.randn(32, 5)
        loss = nn.functional.mse_loss(model(x), x[:, :1].sin())
        opt.zero_grad()
        loss.backward()
        opt.step()


main()
