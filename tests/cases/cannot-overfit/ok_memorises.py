# whygrad run --overfit
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x, y = torch.randn(400, 20), torch.randint(5, (400,))
loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)

model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, 5))
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
criterion = nn.CrossEntropyLoss(label_smoothing=0.1)

for epoch in range(100):
    for inputs, labels in loader:
        optimizer.zero_grad()
        criterion(model(inputs), labels).backward()
        optimizer.step()
