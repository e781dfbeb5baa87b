"""A time-major decoder: the loss is taken sample by sample, in a loop over the rows of the turned-back output."""

import torch
from torch import nn

torch.manual_seed(0)
BATCH, STEPS, CLASSES = 6, 6, 9
codes = torch.randint(0, CLASSES, (BATCH, STEPS))
targets = (codes + 1) % CLASSES


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.RNN(CLASSES, 32)
        self.fc = nn.Linear(32, CLASSES)

    def forward(self, x):
        out, _ = self.cell(x.transpose(0, 1))
        return self.fc(out).transpose(0, 1)


model = Tagger()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
inputs = torch.eye(CLASSES)[codes]
for _ in range(20):
    optimizer.zero_grad()
    output = model(inputs)
    loss = 0
    for i in range(len(targets)):
        loss += criterion(output[i], targets[i])
    loss.backward()
    optimizer.step()
print(loss.item())
