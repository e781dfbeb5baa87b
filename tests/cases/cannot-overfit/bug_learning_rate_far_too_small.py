# whygrad run --overfit
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
centres = torch.randn(5, 20)
y = torch.randint(5, (400,))
x = centres[y] + 0.3 * torch.randn(400, 20)
loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)

model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 5))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-5)
criterion = nn.CrossEntropyLoss()

for epoch in range(100):
    for inputs, labels in loader:
        optimizer.zero_grad()
        loss = criterion(model(inputs), labels)  # <- cause
        loss.backward()
        optimizer.step()
