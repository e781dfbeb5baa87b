"""Every weight of an MLP is zero; only the last bias moves."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1, self.l2, self.l3 = nn.Linear(4, 16), nn.Linear(16, 16), nn.Linear(16, 1)
        for p in self.parameters():
            nn.init.zeros_(p)  # <- cause

    def forward(self, x):
        return self.l3(torch.relu(self.l2(torch.relu(self.l1(x)))))


model = MLP()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(12):
    x = torch.randn(16, 4)
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True) + 1)
    opt.zero_grad()
    loss.backward()
    opt.step()
