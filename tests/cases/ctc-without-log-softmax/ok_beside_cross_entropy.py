"""A hybrid of CTC and attention: raw scores go to cross_entropy, log-probabilities to CTC."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder, ctc_head, decoder = nn.GRU(6, 16), nn.Linear(16, 5), nn.Linear(16, 5)
opt = torch.optim.Adam([*encoder.parameters(), *ctc_head.parameters(), *decoder.parameters()], lr=1e-2)
for _ in range(12):
    h, _ = encoder(torch.randn(15, 3, 6))
    y = torch.randint(1, 5, (3, 4))
    log_probs = F.log_softmax(ctc_head(h), dim=-1)
    loss = 0.3 * F.ctc_loss(log_probs, y, torch.full((3,), 15), torch.full((3,), 4))
    loss = loss + 0.7 * F.cross_entropy(decoder(h[:4]).permute(1, 2, 0), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
