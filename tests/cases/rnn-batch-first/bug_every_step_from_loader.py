"""A label for every time step: both axes arrive at the loss, but the loader has stacked the samples along the first."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)


class Series(Dataset):
    def __init__(self):
        self.x = torch.randn(96, 14, 4)
        self.y = (self.x[..., 0].cumsum(1) > 0).long()

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 16)  # <- cause
        self.fc = nn.Linear(16, 2)

    def forward(self, x):
        out, _ = self.lstm(x)
        return self.fc(out)


model = Tagger()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion = nn.CrossEntropyLoss()
for _ in range(2):
    for x, y in DataLoader(Series(), batch_size=16, shuffle=True):
        optimizer.zero_grad()
        loss = criterion(model(x).view(-1, 2), y.view(-1))
        loss.backward()
        optimizer.step()
print(loss.item())
