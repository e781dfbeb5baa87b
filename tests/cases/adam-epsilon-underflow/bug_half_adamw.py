"""A classifier in float16 under AdamW: all is NaN after the first step."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Classifier(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(10, width), nn.ReLU(), nn.Linear(width, 4))

    def forward(self, x):
        return self.body(x)


def train(model, opt, loader):
    criterion = nn.CrossEntropyLoss()
    for x, y in loader:
        opt.zero_grad(set_to_none=True)
        loss = criterion(model(x.half()).float(), y)
        loss.backward()
        opt.step()


data = torch.utils.data.TensorDataset(torch.randn(200, 10), torch.randint(0, 4, (200,)))
loader = torch.utils.data.DataLoader(data, batch_size=16, shuffle=True)
model = Classifier(32)
model = model.to(torch.float16)  # <- cause
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)  # <- cause
train(model, optimizer, loader)
