# whygrad run --overfit
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
text = torch.randint(20, (2000,))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(20, 16)
        self.rnn = nn.GRU(16, 32, batch_first=True)
        self.head = nn.Linear(32, 20)

    def forward(self, tokens, hidden):
        out, hidden = self.rnn(self.embed(tokens), hidden)
        return self.head(out), hidden


model = Model()
optimizer = torch.optim.Adam(model.parameters(), 1e-3)
hidden = torch.zeros(1, 8, 32)
for step in range(220):
    starts = torch.randint(2000 - 17, (8,))
    tokens = torch.stack([text[s : s + 16] for s in starts])
    targets = torch.stack([text[s + 1 : s + 17] for s in starts])
    logits, hidden = model(tokens, hidden.detach())
    loss = F.cross_entropy(logits.reshape(-1, 20), targets.reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
