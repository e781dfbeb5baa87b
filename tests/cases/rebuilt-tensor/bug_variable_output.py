import torch, torch.nn as nn
from torch.autograd import Variable
torch.manual_seed(0)
class Enc(nn.Module):
    def __init__(s): super().__init__(); s.rnn = nn.GRU(3, 6, batch_first=True)
    def forward(s, x): return s.rnn(x)[1][0]
e, c = Enc(), nn.Linear(6, 2); opt = torch.optim.Adam([*e.parameters(), *c.parameters()], 1e-2)
for i in range(12):
    x, y = Variable(torch.randn(8, 4, 3)), Variable(torch.randint(0, 2, (8,)))
    code = Variable(e(x))  # <- cause
    loss = nn.functional.cross_entropy(c(code), y)
    opt.zero_grad(); loss.backward(); opt.step()
