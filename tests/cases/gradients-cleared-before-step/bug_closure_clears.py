import torch, torch.nn as nn
torch.manual_seed(0)
m = nn.Linear(3, 1); opt = torch.optim.LBFGS(m.parameters(), max_iter=3); x = torch.randn(20, 3); y = x.sum(1, keepdim=True)
def closure():
    loss = (m(x) - y).pow(2).mean()
    loss.backward()
    opt.zero_grad()  # <- cause
    return loss
for i in range(12): opt.step(closure)
