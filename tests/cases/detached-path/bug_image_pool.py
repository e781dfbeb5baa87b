import torch, torch.nn as nn, random
torch.manual_seed(0); random.seed(0)
class ImagePool:
    def __init__(self, size): self.size, self.images = size, []
    def query(self, images):
        out = []
        for im in images.data:  # <- cause
            im = im.unsqueeze(0)
            if len(self.images) < self.size:
                self.images.append(im); out.append(im)
            elif random.random() > 0.5:
                k = random.randrange(self.size); out.append(self.images[k]); self.images[k] = im
            else: out.append(im)
        return torch.cat(out)
G = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 4)); D = nn.Sequential(nn.Linear(4, 16), nn.LeakyReLU(.2), nn.Linear(16, 1))
og, od = torch.optim.Adam(G.parameters(), 1e-3), torch.optim.Adam(D.parameters(), 1e-3)
pool = ImagePool(20); mse = nn.MSELoss()
for i in range(20):
    real = torch.randn(8, 4)
    fake = pool.query(G(torch.randn(8, 4)))
    og.zero_grad()
    lg = mse(D(fake), torch.ones(8, 1)); lg.backward(); og.step()
    od.zero_grad()
    ld = mse(D(real), torch.ones(8, 1)) + mse(D(fake.detach()), torch.zeros(8, 1)); ld.backward(); od.step()
