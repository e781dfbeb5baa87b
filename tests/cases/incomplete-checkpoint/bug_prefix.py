"""The state has a prefix that the model does not have."""
import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(64, 6), torch.randint(0, 3, (64,))
trained = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
state = {f"module.{k}": v.clone() for k, v in trained.state_dict().items()}
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
model.load_state_dict(state, strict=False)  # <- cause
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(12):
    opt.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    opt.step()
