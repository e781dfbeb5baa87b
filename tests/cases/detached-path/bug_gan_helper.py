"""A helper that samples the fakes always detaches them, also for the generator's step."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class GAN:
    def __init__(self):
        self.g = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 16), nn.Tanh())
        self.d = nn.Sequential(nn.Linear(16, 32), nn.LeakyReLU(0.1), nn.Linear(32, 1))
        self.opt_g = torch.optim.Adam(self.g.parameters(), 2e-4, betas=(0.5, 0.999))
        self.opt_d = torch.optim.Adam(self.d.parameters(), 2e-4, betas=(0.5, 0.999))
        self.bce = nn.BCEWithLogitsLoss()

    def sample(self, n):
        z = torch.randn(n, 8)
        return self.g(z).detach()  # <- cause

    def train_d(self, real):
        n = real.size(0)
        logits = self.d(torch.cat([real, self.sample(n)]))
        labels = torch.cat([torch.ones(n, 1), torch.zeros(n, 1)])
        self.opt_d.zero_grad()
        self.bce(logits, labels).backward()
        self.opt_d.step()

    def train_g(self, n):
        logits = self.d(self.sample(n))
        self.opt_g.zero_grad()
        self.bce(logits, torch.ones(n, 1)).backward()
        self.opt_g.step()


gan = GAN()
for epoch in range(3):
    for batch in torch.rand(64, 16).split(16):
        gan.train_d(batch)
        gan.train_g(batch.size(0))
