"""Full fine-tuning was meant; the optimizer has the head only, the encoder is in training mode."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.LSTM(4, 12, batch_first=True)
        self.attention = nn.Linear(12, 1)
        self.head = nn.Linear(12, 3)

    def forward(self, x):
        h, _ = self.encoder(x)
        w = self.attention(h).softmax(1)
        return self.head((w * h).sum(1))


def get_optimizer(model, lr):
    return torch.optim.AdamW(model.head.parameters(), lr=lr)  # <- cause


model = Model()
model.train()
optimizer = get_optimizer(model, 1e-2)  # <- cause
x, y = torch.randn(24, 6, 4), torch.randint(0, 3, (24,))
for _ in range(12):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
