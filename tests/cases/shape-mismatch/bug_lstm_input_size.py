"""An LSTM was made for inputs of another width; the module itself checks it."""
import torch
from torch import nn

torch.manual_seed(0)


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(input_size=10, hidden_size=8, batch_first=True)  # <- cause
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        return self.head(self.rnn(x)[0][:, -1])


model = Reader()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss = model(torch.randn(4, 7, 12)).square().mean()
loss.backward()
optimizer.step()
