import torch
from torch import nn

model = nn.Linear(4, 2).half()
opt = torch.optim.Adam(model.parameters(), lr=1e-3, eps=1e-4)  # <- cause
other = nn.Linear(4, 2)
other.to(torch.float16)
opt2 = torch.optim.AdamW(other.parameters(), eps=1e-8)  # <- cause
