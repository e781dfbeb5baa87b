"""torch.where chooses the good branch, but the other branch's NaN gradient comes through; the scaler skips steps."""
import torch
import torch.nn as nn

torch.manual_seed(0)


def safe_root(x):
    return torch.where(x > 0, torch.sqrt(x), torch.zeros_like(x))  # <- cause


model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 6))
head = nn.Linear(6, 2)
opt = torch.optim.SGD([*model.parameters(), *head.parameters()], lr=0.05)
scaler = torch.amp.GradScaler("cpu")
for step in range(40):
    x, y = torch.randn(16, 4), torch.randint(0, 2, (16,))
    loss = nn.functional.cross_entropy(head(safe_root(model(x))), y)
    opt.zero_grad()
    scaler.scale(loss).backward()
    scaler.unscale_(opt)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(opt)
    scaler.update()
