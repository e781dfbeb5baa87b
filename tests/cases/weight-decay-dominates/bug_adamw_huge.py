"""AdamW with a decay of 20: each step takes 10 % of every weight away."""
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(400, 6)
y = (x @ torch.randn(6, 1)).tanh()
model = nn.Sequential(nn.Linear(6, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
decay, no_decay = [], []
for name, p in model.named_parameters():
    (decay if p.ndim > 1 else no_decay).append(p)
opt = torch.optim.AdamW(  # <- cause
    [{"params": decay, "weight_decay": 20.0}, {"params": no_decay, "weight_decay": 0.0}],
    lr=5e-3,
)
criterion = nn.MSELoss()
for step in range(40):
    i = torch.randint(0, 400, (32,))
    loss = criterion(model(x[i]), y[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
