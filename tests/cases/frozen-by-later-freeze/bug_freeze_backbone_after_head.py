import torch
import torch.nn as nn

torch.manual_seed(0)


class ResLike(nn.Module):
    def __init__(self, classes=1000):
        super().__init__()
        self.layer1 = nn.Sequential(nn.Linear(8, 16), nn.ReLU())
        self.layer4 = nn.Sequential(nn.Linear(16, 16), nn.ReLU())
        self.fc = nn.Linear(16, classes)

    def forward(self, x):
        return self.fc(self.layer4(self.layer1(x)))


def build(num_classes, train_layers=("layer4",)):
    model = ResLike()
    model.fc = nn.Linear(16, num_classes)
    for name, p in model.named_parameters():
        p.requires_grad = any(name.startswith(t) for t in train_layers)  # <- cause
    return model


model = build(3)  # <- cause
opt = torch.optim.Adam(model.parameters(), 1e-2)
x, y = torch.randn(30, 8), torch.randint(0, 3, (30,))
for _ in range(12):
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
