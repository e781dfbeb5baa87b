"""A DataLoader with two forked workers, random transforms in them, and a pool that maps over processes."""

import multiprocessing

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Data(Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, i):
        x = torch.randn(4) + torch.tensor([i % 2, 0.0, 0.0, 0.0])
        return x, i % 2


def square(number):
    return (torch.tensor(float(number)) ** 2).item()


if __name__ == "__main__":
    torch.manual_seed(1)
    model = nn.Linear(4, 2)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    generator = torch.Generator().manual_seed(3)
    loader = DataLoader(
        Data(), batch_size=8, shuffle=True, num_workers=2, generator=generator, multiprocessing_context="fork"
    )
    for epoch in range(2):
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            print(loss.item())
    with multiprocessing.get_context("fork").Pool(1) as pool:
        print(pool.map(square, range(4)))
