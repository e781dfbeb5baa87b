"""A hard mask: probabilities compared with 0.5 and cast to float."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.mask_net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 8), nn.Sigmoid())
        self.predict = nn.Linear(8, 1)

    def forward(self, x):
        mask = self.mask_net(x)
        mask = (mask > 0.5).float()  # <- cause
        return self.predict(x * mask), mask


model = Masked()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(15):
    x = torch.randn(32, 8)
    y = x[:, :1] - x[:, 1:2]
    out, mask = model(x)
    loss = nn.functional.mse_loss(out, y) + 1e-3 * mask.mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
