"""Mixture parameters gathered with new_tensor / torch.Tensor in a property."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Mixture(nn.Module):
    def __init__(self, k=3):
        super().__init__()
        self.mu = nn.ParameterList(nn.Parameter(torch.randn(())) for _ in range(k))
        self.logits = nn.Parameter(torch.zeros(k))

    @property
    def centers(self):
        return torch.Tensor([m for m in self.mu])  # <- cause

    def forward(self, x):
        log_p = -0.5 * (x[:, None] - self.centers) ** 2
        return torch.logsumexp(log_p + torch.log_softmax(self.logits, 0), 1)


model = Mixture()
opt = torch.optim.Adam(model.parameters(), lr=0.05)
x = torch.cat([torch.randn(50) - 3, torch.randn(50) + 3])
for step in range(20):
    loss = -model(x).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
