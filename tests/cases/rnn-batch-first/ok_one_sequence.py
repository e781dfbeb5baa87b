"""One long sequence, [time, 1, features], and one without a batch axis; a word model that slices text along time."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
tagger, states = nn.LSTM(5, 8), nn.GRU(5, 8)
tags, embed, words, decode = nn.Linear(8, 3), nn.Embedding(11, 5), nn.LSTM(5, 8), nn.Linear(8, 11)
parts = [tagger, states, tags, embed, words, decode]
optimizer = torch.optim.SGD([p for part in parts for p in part.parameters()], lr=0.1)
text = torch.randint(0, 11, (4, 60)).t().contiguous()  # [time, batch]
for i in range(6):
    sentence = torch.randn(9, 5)
    labels = (sentence[:, 0] > 0).long() + (sentence[:, 1] > 0).long()
    out, _ = tagger(sentence.view(len(sentence), 1, -1))
    plain, _ = states(sentence)
    loss = F.cross_entropy(tags(out.view(len(sentence), -1)), labels) + F.cross_entropy(tags(plain), labels)
    chunk, following = text[8 * i : 8 * i + 8], text[8 * i + 1 : 8 * i + 9]
    predicted, _ = words(embed(chunk))
    loss = loss + F.cross_entropy(decode(predicted).view(-1, 11), following.reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
