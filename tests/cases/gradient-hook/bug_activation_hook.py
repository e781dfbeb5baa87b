"""A tensor hook on an activation (for saliency) returns zeros instead of nothing."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Saliency(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.fc = nn.Linear(4, 3)
        self.seen = None

    def keep(self, grad):
        self.seen = grad.clone()
        return torch.zeros_like(grad)

    def forward(self, x):
        h = torch.relu(self.conv(x))
        if h.requires_grad:
            h.register_hook(self.keep)  # <- cause
        return self.fc(h.mean((2, 3)))


model = Saliency()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(12):
    x, y = torch.rand(8, 1, 8, 8), torch.randint(0, 3, (8,))
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
