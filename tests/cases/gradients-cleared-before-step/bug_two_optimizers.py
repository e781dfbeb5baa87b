"""Two optimizers: the generator's backward is followed by a zero_grad of both optimizers."""
import torch
import torch.nn as nn

torch.manual_seed(0)
enc, dec = nn.Linear(6, 3), nn.Linear(3, 6)
opt_enc = torch.optim.Adam(enc.parameters(), lr=1e-2)
opt_dec = torch.optim.Adam(dec.parameters(), lr=1e-2)


def clear(*optimizers):
    for opt in optimizers:
        opt.zero_grad()  # <- cause


for i in range(15):
    x = torch.randn(16, 6)
    loss = nn.functional.mse_loss(dec(enc(x)), x)
    loss.backward()
    opt_enc.step()
    clear(opt_enc, opt_dec)  # <- cause
    opt_dec.step()
