"""The mask is used the wrong way round: the tokens are ignored, and the padding already was."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.head = nn.Embedding(20, 16), nn.Linear(16, 20)
        self.loss = nn.CrossEntropyLoss()

    def forward(self, ids, labels):
        logits = self.head(self.embed(ids))
        return self.loss(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())  # <- cause


model = Model()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(12):
    ids = torch.randint(1, 20, (4, 10))
    attention = torch.ones(4, 10)
    labels = ids.masked_fill(attention == 1, -100)
    loss = model(ids, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
