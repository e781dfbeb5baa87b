"""A little padding in the loss, as much code has it."""

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

torch.manual_seed(0)
PAD = 0
sentences = [torch.randint(1, 30, (int(n),)) for n in torch.randint(8, 17, (64,))]


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(30, 16)
        self.rnn = nn.GRU(16, 32, batch_first=True)
        self.out = nn.Linear(32, 30)

    def forward(self, ids):
        return self.out(self.rnn(self.embed(ids))[0])


model = Model()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()
for _ in range(3):
    for start in range(0, 64, 16):
        ids = pad_sequence(sentences[start : start + 16], batch_first=True, padding_value=PAD)
        logits = model(ids[:, :-1])
        loss = criterion(logits.reshape(-1, 30), ids[:, 1:].reshape(-1))
        opt.zero_grad()
        loss.backward()
        opt.step()
