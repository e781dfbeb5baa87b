"""Tied weights, an embedding with sparse gradients under SparseAdam, and an embedding bag."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(12, 8)
        self.users = nn.Embedding(6, 8, sparse=True)
        self.bag = nn.EmbeddingBag(12, 8, sparse=True, mode="sum")
        self.mix = nn.Linear(8, 8)
        self.out = nn.Linear(8, 12, bias=False)
        self.out.weight = self.words.weight

    def forward(self, words, user):
        h = self.words(words).mean(1) + self.users(user) + self.bag(words)
        return self.out(torch.tanh(self.mix(h)))


torch.manual_seed(1)
model = Model()
sparse = [model.users.weight, model.bag.weight]
dense = [p for p in model.parameters() if all(p is not s for s in sparse)]
optimizers = [torch.optim.SparseAdam(sparse, lr=0.05), torch.optim.Adagrad(dense, lr=0.05)]
for step in range(10):
    words, user = torch.randint(12, (8, 3)), torch.randint(6, (8,))
    loss = nn.functional.cross_entropy(model(words, user), words[:, 0])
    for optimizer in optimizers:
        optimizer.zero_grad()
    loss.backward()
    for optimizer in optimizers:
        optimizer.step()
    print(loss.item())
