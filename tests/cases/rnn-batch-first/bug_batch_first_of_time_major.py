"""The input is turned to [time, batch, features], for a layer that was built with batch_first=True."""

import torch
from torch import nn

torch.manual_seed(0)


class Forecast(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(2, 10, num_layers=2, batch_first=True)  # <- cause
        self.head = nn.Linear(10, 1)

    def forward(self, x):
        out, _ = self.rnn(x.permute(1, 0, 2))
        return self.head(out[-1, :, :])


class Trainer:
    def __init__(self, model):
        self.model, self.criterion = model, nn.MSELoss()
        self.optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)

    def step(self, x, y):
        self.optimizer.zero_grad()
        loss = self.criterion(self.model(x), y)
        loss.backward()
        self.optimizer.step()
        return loss


trainer = Trainer(Forecast())
for _ in range(8):
    x = torch.randn(32, 15, 2)
    loss = trainer.step(x, x.mean((1, 2)).unsqueeze(1))
print(loss.item())
