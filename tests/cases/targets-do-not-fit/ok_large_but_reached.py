"""Large targets that the model comes near to: a bias set to their mean, or outputs that are scaled back."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, x):
        return self.net(x) * 60_000 + 250_000


model, linear = Scaled(), nn.Linear(6, 1)
nn.init.constant_(linear.bias, 2000.0)
optimizer = torch.optim.Adam([*model.parameters(), *linear.parameters()], lr=1e-3)
for step in range(15):
    x = torch.randn(32, 6)
    loss = F.mse_loss(model(x), 250_000 + 60_000 * x[:, :1])
    optimizer.zero_grad()
    (loss if step % 2 else F.l1_loss(linear(x), 2000 + x[:, 1:2])).backward()
    optimizer.step()
