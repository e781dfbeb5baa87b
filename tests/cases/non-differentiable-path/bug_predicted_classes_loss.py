"""The loss compares predicted classes, not logits."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 12), nn.ReLU(), nn.Linear(12, 3))

    def forward(self, x):
        return self.layers(x)


def loss_fn(logits, target):
    predicted = torch.argmax(torch.softmax(logits, 1), dim=1)  # <- cause
    return ((predicted - target) ** 2).float().mean().requires_grad_()


model = Classifier()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(60, 4), torch.randint(0, 3, (60,))
for epoch in range(5):
    for a, b in zip(x.split(20), y.split(20)):
        opt.zero_grad()
        loss = loss_fn(model(a), b)
        loss.backward()
        opt.step()
