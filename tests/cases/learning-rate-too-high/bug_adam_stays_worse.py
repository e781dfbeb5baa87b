"""Adam with a rate far too large: the loss is five times that of a guess, and does not come down."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
emb, head = nn.Embedding(20, 32), nn.Linear(32, 20)
layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
params = [*emb.parameters(), *layer.parameters(), *head.parameters()]
optimizer = torch.optim.Adam(params, lr=0.5)  # <- cause
for _ in range(12):
    x = (torch.randint(0, 20, (16, 1)) + torch.arange(13)) % 20
    mask = nn.Transformer.generate_square_subsequent_mask(12)
    loss = F.cross_entropy(head(layer(emb(x[:, :-1]), src_mask=mask)).flatten(0, 1), x[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
