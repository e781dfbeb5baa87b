"""unscale_ before clipping; two optimizers; a disabled scaler; scale 1."""
import torch
import torch.nn as nn

torch.manual_seed(0)
for enabled, scale in ((True, 2.0**16), (False, 2.0**16), (True, 1.0)):
    a, b = nn.Linear(4, 8), nn.Linear(8, 1)
    opt_a, opt_b = torch.optim.SGD(a.parameters(), lr=0.1), torch.optim.SGD(b.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", enabled=enabled, init_scale=scale)
    for i in range(4):
        x = torch.randn(8, 4)
        opt_a.zero_grad()
        opt_b.zero_grad()
        loss = nn.functional.mse_loss(b(torch.tanh(a(x))), x[:, :1] * 50)
        scaler.scale(loss).backward()
        if scale > 1:
            scaler.unscale_(opt_a)
            scaler.unscale_(opt_b)
        nn.utils.clip_grad_norm_([*a.parameters(), *b.parameters()], 1.0)
        scaler.step(opt_a)
        scaler.step(opt_b)
        scaler.update()
