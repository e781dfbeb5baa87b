"""Truncated back-propagation through time, the state detached between chunks."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Language(nn.Module):
    def __init__(self, vocab=12, dim=16):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.rnn = nn.LSTM(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, vocab)

    def forward(self, tokens, state):
        h, state = self.rnn(self.embed(tokens), state)
        return self.out(h), state


model = Language()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
data = torch.randint(0, 12, (4, 121))
for epoch in range(2):
    state = None
    for i in range(0, 120, 10):
        if state is not None:
            state = tuple(s.detach() for s in state)
        logits, state = model(data[:, i : i + 10], state)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), data[:, i + 1 : i + 11].flatten())
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
