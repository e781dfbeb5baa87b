import torch
import torch.nn as nn

torch.manual_seed(0)


class FrozenEmbedder(nn.Module):
    def __init__(self, vocab=20, dim=6, freeze=True):
        super().__init__()
        self.transformer = nn.Sequential(nn.Embedding(vocab, dim), nn.Linear(dim, dim))
        if freeze:
            self.freeze()

    def freeze(self):
        self.transformer = self.transformer.eval()
        for p in self.parameters():
            p.requires_grad = False

    def forward(self, t):
        return self.transformer(t).mean(1)


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp, self.cond, self.out = nn.Linear(4, 16), nn.Linear(6, 16), nn.Linear(16, 4)

    def forward(self, x, c):
        return self.out(torch.relu(self.inp(x) + self.cond(c)))


text, unet = FrozenEmbedder(), UNet()
opt = torch.optim.AdamW(unet.parameters(), 1e-3)
for _ in range(12):
    x, ids = torch.randn(8, 4), torch.randint(0, 20, (8, 5))
    eps = torch.randn_like(x)
    loss = (unet(x + eps, text(ids)) - eps).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
