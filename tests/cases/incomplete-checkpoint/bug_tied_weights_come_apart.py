"""A state without the tied head is loaded with assign=True: embedding and head are two parameters from then on."""

import torch
from torch import nn

torch.manual_seed(0)
ids = torch.randint(0, 20, (64, 9))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(20, 16)
        self.rnn = nn.GRU(16, 16, batch_first=True)
        self.head = nn.Linear(16, 20, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, ids):
        return self.head(self.rnn(self.embed(ids))[0])


state = {k: v.clone() for k, v in Model().state_dict().items() if k != "head.weight"}
model = Model()
model.load_state_dict(state, strict=False, assign=True)  # <- cause
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(3):
    for rows in torch.randperm(64).split(16):
        batch = ids[rows]
        opt.zero_grad()
        logits = model(batch[:, :-1])
        nn.functional.cross_entropy(logits.reshape(-1, 20), batch[:, 1:].reshape(-1)).backward()
        opt.step()
