import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters())


def evaluate():
    was_training = model.training
    model.eval()
    with torch.no_grad():
        correct = sum((model(x).argmax(1) == y).sum() for x, y in test_loader)
    model.train(was_training)
    return correct


for epoch in range(20):
    for x, y in train_loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    print(epoch, evaluate())

plain = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.LayerNorm(32), nn.Dropout(0.0))
second = torch.optim.Adam(plain.parameters())
plain.eval()
for x, y in train_loader:
    second.zero_grad()
    nn.functional.cross_entropy(plain(x), y).backward()
    second.step()
