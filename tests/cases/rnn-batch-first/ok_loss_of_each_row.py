"""A time-major decoder: the loss is taken sequence by sequence, cut to its length, over the unbound rows."""

import torch
from torch import nn

torch.manual_seed(0)
BATCH, STEPS, CLASSES = 6, 6, 9
codes = torch.randint(0, CLASSES, (BATCH, STEPS))
lengths = [6, 5, 5, 4, 3, 2]
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
    for row, target, length in zip(output, targets, lengths, strict=True):
        loss = loss + criterion(row[:length], target[:length]) / BATCH
    loss.backward()
    optimizer.step()
print(loss.item())
