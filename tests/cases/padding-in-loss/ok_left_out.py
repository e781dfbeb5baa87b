"""The same padding, left out: ignore_index, weight 0, a mask, selection, -100 in the labels, packing."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence

torch.manual_seed(0)
embed, rnn, out = nn.Embedding(20, 16, padding_idx=0), nn.GRU(16, 16, batch_first=True), nn.Linear(16, 20)
optimizer = torch.optim.Adam([*embed.parameters(), *rnn.parameters(), *out.parameters()], lr=1e-3)
weight = torch.ones(20)
weight[0] = 0
for step in range(12):
    length = torch.randint(4, 12, (8, 1))
    tokens = torch.randint(1, 20, (8, 41)) * (torch.arange(41) < length)
    inputs, target = tokens[:, :-1], tokens[:, 1:]
    logits = out(rnn(embed(inputs))[0])
    flat, goal, mask = logits.flatten(0, 1), target.flatten(), (target != 0).flatten().float()
    loss = F.cross_entropy(flat, goal, ignore_index=0) + F.cross_entropy(flat, goal, weight=weight)
    each = F.cross_entropy(flat, goal, reduction="none")
    loss = loss + (each * mask).sum() / mask.sum() + each[mask.bool()].mean()
    loss = loss + F.cross_entropy(flat, goal.masked_fill(goal == 0, -100))
    packed = pack_padded_sequence(embed(inputs), length.flatten(), batch_first=True, enforce_sorted=False)
    aim = pack_padded_sequence(target, length.flatten(), batch_first=True, enforce_sorted=False).data
    loss = loss + F.cross_entropy(out(rnn(packed)[0].data), aim)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
