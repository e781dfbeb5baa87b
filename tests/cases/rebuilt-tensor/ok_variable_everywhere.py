import torch, torch.nn as nn
from torch.autograd import Variable
torch.manual_seed(0)
Tensor = torch.FloatTensor
G, D = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2)), nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(.2), nn.Linear(16, 1), nn.Sigmoid())
og, od = torch.optim.Adam(G.parameters(), 2e-4), torch.optim.Adam(D.parameters(), 2e-4); bce = nn.BCELoss()
for i in range(12):
    imgs = torch.randn(8, 2); valid = Variable(Tensor(8, 1).fill_(1.0), requires_grad=False); fake = Variable(Tensor(8, 1).fill_(0.0), requires_grad=False)
    real = Variable(imgs.type(Tensor)); z = Variable(Tensor(torch.randn(8, 4).numpy()))
    og.zero_grad(); gen = G(z); lg = bce(D(gen), valid); lg.backward(); og.step()
    od.zero_grad(); ld = (bce(D(real), valid) + bce(D(gen.detach()), fake)) / 2; ld.backward(); od.step()
    print(torch.FloatTensor([lg.item(), ld.item()]).mean(), float(lg), torch.Tensor([float(lg)]))
