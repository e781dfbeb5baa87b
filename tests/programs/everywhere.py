"""Training in unusual places: a coroutine, a generator, a thread pool, exec, a forked child, deep recursion."""

import asyncio
import multiprocessing
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import nn


def step(model, optimizer, x):
    loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def stepper(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    return lambda x: step(model, optimizer, x)


async def trained_in_coroutine(model, data):
    train, losses = stepper(model), []
    for x in data:
        await asyncio.sleep(0)
        losses.append(train(x))
    return losses


def trained_in_generator(model, data):
    train = stepper(model)
    for x in data:
        yield train(x)


class Tree(nn.Module):
    def __init__(self):
        super().__init__()
        self.leaf, self.join = nn.Linear(4, 4), nn.Linear(8, 4)

    def forward(self, x):
        if len(x) == 1:
            return self.leaf(x)
        half = len(x) // 2
        return torch.tanh(self.join(torch.cat([self(x[:half]), self(x[half:])], dim=1)))


def child(model, data, queue):
    train = stepper(model)
    queue.put([train(x) for x in data])


def described():
    known = locals()
    model = nn.Linear(4, 1)
    train = stepper(model)
    losses = [train(x) for x in data]
    return sorted(known), losses


torch.manual_seed(1)
data = [torch.randn(8, 4) for _ in range(5)]
models = [nn.Linear(4, 1) for _ in range(5)]
print(asyncio.run(trained_in_coroutine(models[0], data)))
print(list(trained_in_generator(models[1], data)))
with ThreadPoolExecutor(2) as pool:
    print(list(pool.map(stepper(models[2]), data[:1])))
    train = stepper(models[2])
    for x in data:
        print(pool.submit(train, x).result())
exec("train = stepper(models[3])\nprint([train(x) for x in data])")
context = multiprocessing.get_context("fork")
queue = context.Queue()
process = context.Process(target=child, args=(models[4].share_memory(), data, queue))
process.start()
print(queue.get())
process.join()
print(described())
tree, losses = Tree(), []
optimizer = torch.optim.Adam(tree.parameters(), lr=0.01)
for x in data:
    loss = (tree(x) - x.mean(0)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
del context, process, queue
