import torch, torch.nn as nn
from torch.autograd import Variable
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)); opt = torch.optim.SGD(m.parameters(), 0.1)
crit = nn.MSELoss()
for i in range(12):
    x = Variable(torch.randn(8, 4)); y = Variable(x.data[:, :1])
    loss = crit(m(x), y)
    loss = Variable(loss, requires_grad=True)  # <- cause
    opt.zero_grad(); loss.backward(); opt.step()
