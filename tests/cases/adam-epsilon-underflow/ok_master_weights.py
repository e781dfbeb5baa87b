"""A half copy computes, float32 masters are stepped."""
import copy
import torch
import torch.nn as nn

torch.manual_seed(0)
master = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
half = copy.deepcopy(master).half()
opt = torch.optim.Adam(master.parameters(), lr=1e-2)
for step in range(12):
    x = torch.randn(32, 4)
    loss = nn.functional.mse_loss(half(x.half()).float(), x[:, :1])
    half.zero_grad()
    loss.backward()
    for m, h in zip(master.parameters(), half.parameters()):
        m.grad = h.grad.float()
    opt.step()
    with torch.no_grad():
        for m, h in zip(master.parameters(), half.parameters()):
            h.copy_(m)
