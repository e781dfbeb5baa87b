"""Every weight of an MLP is set to ones, scaled down."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(6, 20)
        self.fc2 = nn.Linear(20, 20)
        self.out = nn.Linear(20, 3)
        for m in self.modules():
            if isinstance(m, nn.Linear):
                m.weight.data.fill_(0.05)  # <- cause
                m.bias.data.zero_()

    def forward(self, x):
        return self.out(torch.tanh(self.fc2(torch.tanh(self.fc1(x)))))


x = torch.randn(300, 6)
y = (x[:, 0] * x[:, 1] > 0).long() + (x[:, 2] > 0.7).long()
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for step in range(20):
    i = torch.randint(0, 300, (32,))
    loss = nn.functional.cross_entropy(net(x[i]), y[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
