"""A padding mask that is inverted where there is no padding at all: it selects nothing."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Tagger(nn.Module):
    def __init__(self, vocab=20, dim=16):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.rnn = nn.LSTM(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, 4)

    def forward(self, tokens):
        h, _ = self.rnn(self.embed(tokens))
        return self.out(h)


def loss_fn(logits, tags, tokens):
    each = nn.functional.cross_entropy(logits.transpose(1, 2), tags, reduction="none")
    mask = (tokens == 0).float()  # <- cause
    return (each * mask).sum() / mask.sum().clamp(min=1)  # <- cause


model = Tagger()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(12):
    tokens, tags = torch.randint(1, 20, (8, 6)), torch.randint(0, 4, (8, 6))
    loss = loss_fn(model(tokens), tags, tokens)
    opt.zero_grad()
    loss.backward()
    opt.step()
