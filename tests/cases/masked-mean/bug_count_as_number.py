"""The loss of the valid tokens; one batch has only empty sequences."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
embed, out = nn.Embedding(20, 8, padding_idx=0), nn.Linear(8, 20)
optimizer = torch.optim.SGD([*embed.parameters(), *out.parameters()], lr=0.1)


def step(tokens):
    valid = (tokens[:, 1:] != 0).float()
    logits = out(embed(tokens[:, :-1]))
    each = F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:], reduction="none")
    loss = torch.sum(each * valid) / valid.sum()  # <- cause
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(embed.parameters(), 1.0)
    optimizer.step()


for i in range(15):
    tokens = torch.randint(1, 20, (6, 7))
    tokens[:, 1 if i == 3 else 5 :] = 0
    step(tokens)
