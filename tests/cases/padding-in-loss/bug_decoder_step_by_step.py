"""A decoder that is trained token by token, the loss added up over all steps."""
import torch
import torch.nn as nn

torch.manual_seed(0)
PAD, STEPS = 0, 25


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.cell, self.out = nn.Embedding(20, 16, padding_idx=PAD), nn.GRUCell(16, 16), nn.Linear(16, 20)

    def forward(self, token, hidden):
        hidden = self.cell(self.embed(token), hidden)
        return self.out(hidden).log_softmax(-1), hidden


decoder = Decoder()
criterion = nn.NLLLoss()  # <- cause
optimizer = torch.optim.SGD(decoder.parameters(), lr=0.05)
for step in range(12):
    length = torch.randint(3, 9, (10, 1))
    target = torch.randint(1, 20, (10, STEPS)) * (torch.arange(STEPS) < length)
    hidden, loss = torch.zeros(10, 16), 0
    token = torch.ones(10, dtype=torch.long)
    for t in range(STEPS):
        logp, hidden = decoder(token, hidden)
        loss += criterion(logp, target[:, t])
        token = target[:, t]
    optimizer.zero_grad()
    (loss / STEPS).backward()
    optimizer.step()
