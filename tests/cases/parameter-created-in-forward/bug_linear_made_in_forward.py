"""nn.Linear is made inside forward because its input size is not known before."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class CNN(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.classes = classes
        self.conv = nn.Conv2d(1, 4, 3)

    def forward(self, x):
        x = torch.relu(self.conv(x)).flatten(1)
        self.fc = nn.Linear(x.shape[1], self.classes)  # <- cause
        return self.fc(x)


def main():
    model = CNN(2)
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    x, y = torch.randn(24, 1, 6, 6), torch.randint(0, 2, (24,))
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=8)
    for epoch in range(4):
        for xb, yb in loader:
            opt.zero_grad()
            loss = nn.functional.cross_entropy(model(xb), yb)
            loss.backward()
            opt.step()


main()
