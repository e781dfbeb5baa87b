"""A codebook that is a learned linear map of fixed random vectors: only the map is trained, so that all codes move at once."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class Codes(nn.Module):
    def __init__(self, many=16, width=4):
        super().__init__()
        self.register_buffer("anchors", torch.randn(many, width) * width**-0.5)
        self.map = nn.Linear(width, width, bias=False)

    def forward(self, z):
        book = self.map(self.anchors)
        with torch.no_grad():
            nearest = torch.cdist(z, book).argmin(-1)
        code = book[nearest]
        commit = F.mse_loss(code, z.detach()) + 0.25 * F.mse_loss(z, code.detach())
        return z + (code - z).detach(), commit


encoder, decoder, codes = nn.Linear(6, 4), nn.Linear(4, 6), Codes()
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters(), *codes.parameters()], lr=1e-2)
x = torch.randn(64, 6)
for _ in range(12):
    z, commit = codes(encoder(x))
    loss = F.mse_loss(decoder(z), x) + commit
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
