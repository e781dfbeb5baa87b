"""The hidden state of one batch is the start of the next, with its whole graph."""
import torch
from torch import nn

torch.manual_seed(0)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 8, batch_first=True)
        self.head = nn.Linear(8, 1)
        self.state = None

    def forward(self, x):
        out, self.state = self.rnn(x, self.state)  # <- cause
        return self.head(out)


model = Model()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
stream = torch.randn(6, 5, 7, 4)
for batch in stream:
    loss = (model(batch) - batch.mean(-1, keepdim=True)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
