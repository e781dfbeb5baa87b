"""A full backward hook returns a gradient multiplied by 0 (a debugging switch left on)."""
import torch
import torch.nn as nn

torch.manual_seed(0)
SCALE = 0.0


def scale_gradient(module, grad_input, grad_output):
    return tuple(g * SCALE if g is not None else None for g in grad_input)


model = nn.Sequential(nn.Linear(4, 12), nn.Tanh(), nn.Linear(12, 12), nn.Tanh(), nn.Linear(12, 1))
model[2].register_full_backward_hook(scale_gradient)  # <- cause
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(12):
    x = torch.randn(16, 4)
    loss = nn.functional.mse_loss(model(x), x[:, :1])
    opt.zero_grad()
    loss.backward()
    opt.step()
