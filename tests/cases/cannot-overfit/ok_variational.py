# whygrad run --overfit
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
data = (torch.rand(256, 1).expand(256, 12) > torch.rand(12)).float()


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Linear(12, 32)
        self.mean, self.log_var = nn.Linear(32, 2), nn.Linear(32, 2)
        self.decode = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 12))

    def forward(self, x):
        h = torch.relu(self.encode(x))
        mean, log_var = self.mean(h), self.log_var(h)
        z = mean + torch.randn_like(mean) * (0.5 * log_var).exp()
        return self.decode(z), mean, log_var


model = Autoencoder()
optimizer = torch.optim.Adam(model.parameters(), 1e-2)
for epoch in range(60):
    for x in DataLoader(data, 64, shuffle=True):
        out, mean, log_var = model(x)
        rebuilt = F.binary_cross_entropy_with_logits(out, x, reduction="sum")
        kl = -0.5 * (1 + log_var - mean**2 - log_var.exp()).sum()
        loss = (rebuilt + kl) / len(x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
