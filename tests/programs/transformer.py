"""A TransformerEncoder, trained, then evaluated on the fused fast path, whose bits differ from the ordinary one."""

import torch
from torch import nn

torch.manual_seed(1)
layer = nn.TransformerEncoderLayer(16, 2, dim_feedforward=32, dropout=0.1, batch_first=True)
encoder = nn.TransformerEncoder(layer, num_layers=2)
head = nn.Linear(16, 1)
attention = nn.MultiheadAttention(16, 4, batch_first=True)
parameters = [*encoder.parameters(), *head.parameters(), *attention.parameters()]
optimizer = torch.optim.Adam(parameters, lr=1e-3)
x = torch.randn(6, 5, 16)
y = x.sum(dim=(1, 2))[:, None] / 10
padding = torch.arange(5)[None, :] >= torch.tensor([5, 4, 3, 5, 2, 5])[:, None]

for step in range(4):
    encoder.train()
    attention.train()
    h = encoder(x, src_key_padding_mask=padding)
    h, _ = attention(h, h, h, need_weights=False)
    loss = nn.functional.mse_loss(head(h.mean(1)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    encoder.eval()
    attention.eval()
    with torch.no_grad():
        plain, masked = encoder(x), encoder(x, src_key_padding_mask=padding)
        weighed, weights = attention(x, x, x)
    with torch.inference_mode():
        again = attention(x, x, x, need_weights=False)[0]
    sums = [t.double().sum().item() for t in (plain, masked, weighed, weights, again)]
    print(loss.item(), sums, again.std().item())
