import torch, torch.nn as nn
torch.manual_seed(0)
def mlp(sizes): return nn.Sequential(*[l for a, b in zip(sizes, sizes[1:]) for l in (nn.Linear(a, b), nn.ReLU(inplace=True))])
net = mlp([4, 32, 1])
with torch.no_grad(): net[2].weight.copy_(-net[2].weight.abs()); net[2].bias.fill_(-0.1)
opt = torch.optim.SGD(net.parameters(), 0.01)
for i in range(12):
    x = torch.randn(32, 4)
    out = net(x)  # <- cause
    loss = nn.functional.mse_loss(out, x[:, :1].abs()); opt.zero_grad(); loss.backward(); opt.step()
