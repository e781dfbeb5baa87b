"""Some dead ReLU units, dropout of 0.9, gradient zero at some steps only, hinge loss that is sometimes satisfied."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 32)
        with torch.no_grad():
            self.a.bias[:10] = -100.0
        self.drop = nn.Dropout(0.9)
        self.b = nn.Linear(32, 1)

    def forward(self, x):
        return self.b(self.drop(torch.relu(self.a(x))))


net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for step in range(20):
    x = torch.randn(16, 4)
    sign = torch.where(x[:, :1] > 0, 1.0, -1.0)
    margin = 1.0 if step % 3 else -50.0
    loss = torch.relu(margin - sign * net(x)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
