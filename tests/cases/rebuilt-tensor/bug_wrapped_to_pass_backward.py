"""A loss wrapped in torch.tensor(..., requires_grad=True) to silence the error."""
import torch
import torch.nn as nn

torch.manual_seed(0)


def train_epoch(model, opt, batches):
    for x, y in batches:
        out = model(x)
        loss = nn.functional.l1_loss(out, y)
        loss = torch.tensor(loss, requires_grad=True)  # <- cause
        opt.zero_grad()
        loss.backward()
        opt.step()


def main():
    model = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    data = [(torch.randn(8, 3), torch.randn(8, 1)) for _ in range(10)]
    for _ in range(2):
        train_epoch(model, opt, data)


main()
