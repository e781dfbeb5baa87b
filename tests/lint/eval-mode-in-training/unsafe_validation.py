import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.5), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters())
model.train()
for epoch in range(20):
    model.train()
    for x, y in train_loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    model.eval()  # <- cause
    with torch.no_grad():
        correct = sum((model(x).argmax(1) == y).sum() for x, y in test_loader)
    print(epoch, correct)
