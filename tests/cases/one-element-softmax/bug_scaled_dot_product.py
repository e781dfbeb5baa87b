"""scaled_dot_product_attention over a sequence of length 1 (unsqueezed in the wrong place)."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class TabAttention(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.embed = nn.Linear(6, dim)
        self.qk = nn.Linear(dim, 2 * dim)
        self.v = nn.Linear(dim, dim)
        self.head = nn.Linear(dim, 1)

    def forward(self, x):
        h = self.embed(x).unsqueeze(1)
        q, k = self.qk(h).chunk(2, -1)
        h = h + F.scaled_dot_product_attention(q, k, self.v(h))  # <- cause
        return self.head(h.squeeze(1))


model = TabAttention()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(12):
    x = torch.randn(16, 6)
    loss = F.mse_loss(model(x), x[:, :1] * x[:, 1:2])
    opt.zero_grad()
    loss.backward()
    opt.step()
