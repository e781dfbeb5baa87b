"""A language model with a bidirectional LSTM: the backward direction has read the next word already."""

import torch
from torch import nn

torch.manual_seed(0)


class LanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(30, 12)
        self.lstm = nn.LSTM(12, 10, batch_first=True, bidirectional=True)  # <- cause
        self.decode = nn.Linear(20, 30)

    def forward(self, tokens):
        out, _ = self.lstm(self.embed(tokens))
        return self.decode(out)


class Trainer:
    def __init__(self, model):
        self.model, self.criterion = model, nn.CrossEntropyLoss()
        self.optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

    def step(self, tokens):
        scores = self.model(tokens[:, :-1])
        loss = self.criterion(scores.permute(0, 2, 1), tokens[:, 1:])
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


trainer = Trainer(LanguageModel())
for _ in range(6):
    print(trainer.step(torch.randint(0, 30, (8, 11))))
