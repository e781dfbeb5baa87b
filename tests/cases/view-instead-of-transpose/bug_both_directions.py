"""The last states of both directions, [2, batch, hidden], are joined by view: each row holds two samples."""

import torch
from torch import nn

torch.manual_seed(0)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(30, 8)
        self.gru = nn.GRU(8, 10, bidirectional=True, batch_first=True)
        self.out = nn.Linear(20, 2)

    def forward(self, tokens):
        _, last = self.gru(self.embed(tokens))
        return self.out(last.view(tokens.size(0), -1))  # <- cause


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
        self.loss_fn = nn.CrossEntropyLoss()

    def fit(self, steps):
        for _ in range(steps):
            tokens = torch.randint(0, 30, (24, 7))
            loss = self.loss_fn(self.model(tokens), (tokens[:, 0] > tokens[:, -1]).long())
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
        return loss


print(Trainer(Classifier()).fit(8).item())
