"""Stage 1 trains the autoencoder, stage 2 freezes it for good and trains a classifier, with one optimizer each."""

import torch
import torch.nn as nn

torch.manual_seed(0)
enc, dec = nn.Linear(8, 4), nn.Linear(4, 8)
clf = nn.Linear(4, 2)
x = torch.randn(64, 8)
y = (x[:, 0] > 0).long()
opt1 = torch.optim.Adam([*enc.parameters(), *dec.parameters()], 1e-2)
for _ in range(5):
    loss = (dec(enc(x)) - x).pow(2).mean()
    opt1.zero_grad()
    loss.backward()
    opt1.step()
for p in enc.parameters():
    p.requires_grad = False
opt2 = torch.optim.Adam([*enc.parameters(), *clf.parameters()], 1e-2)
for _ in range(8):
    loss = nn.functional.cross_entropy(clf(enc(x)), y)
    opt2.zero_grad()
    loss.backward()
    opt2.step()
