"""A validation every few steps within the epoch; the model's dropout lies in an LSTM and a transformer layer."""

import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(20, 16)
        self.lstm = nn.LSTM(16, 16, num_layers=2, dropout=0.3, batch_first=True)
        self.mix = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.2, batch_first=True)
        self.out = nn.Linear(16, 5)

    def forward(self, tokens):
        return self.out(self.mix(self.lstm(self.embed(tokens))[0]))

    def predict(self, tokens):
        self.train(False)  # <- cause
        with torch.inference_mode():
            return self(tokens).argmax(-1)


torch.manual_seed(0)
tokens, tags = torch.randint(0, 20, (32, 7)), torch.randint(0, 5, (32, 7))
model = Tagger()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(16):
    pick = torch.randperm(32)[:8]
    optimizer.zero_grad()
    logits = model(tokens[pick])
    nn.functional.cross_entropy(logits.flatten(0, 1), tags[pick].flatten()).backward()
    optimizer.step()
    if step % 5 == 4:
        print(step, (model.predict(tokens) == tags).float().mean().item())
