import torch, torch.nn as nn
torch.manual_seed(0)
m = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Conv2d(4, 8, 3, bias=True), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 3))
opt = torch.optim.SGD(m.parameters(), 0.1, momentum=0.9)
for i in range(14):
    loss = nn.functional.cross_entropy(m(torch.randn(8, 1, 12, 12)), torch.randint(0, 3, (8,))); opt.zero_grad(); loss.backward(); opt.step()
