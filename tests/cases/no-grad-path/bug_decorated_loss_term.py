"""A perceptual loss whose method is decorated with no_grad: its term is a constant."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Perceptual(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 8, 3, padding=1))
        for p in self.net.parameters():
            p.requires_grad = False

    @torch.no_grad()  # <- cause
    def forward(self, out, target):
        return nn.functional.l1_loss(self.net(out), self.net(target))  # <- cause


decoder = nn.Sequential(nn.ConvTranspose2d(4, 4, 2, stride=2), nn.ReLU(), nn.Conv2d(4, 1, 3, padding=1))
log_var = nn.Parameter(torch.zeros(()))
criterion = Perceptual()
opt = torch.optim.Adam([*decoder.parameters(), log_var], lr=1e-3)
for step in range(15):
    z, target = torch.randn(4, 4, 6, 6), torch.rand(4, 1, 12, 12)
    loss = torch.exp(-log_var) * criterion(decoder(z), target) + log_var
    opt.zero_grad()
    loss.backward()
    opt.step()
