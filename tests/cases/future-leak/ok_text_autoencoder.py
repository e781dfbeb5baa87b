"""The encoder reads the whole sentence, the decoder predicts it word by word from what the encoder made of it."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Autoencoder(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.embed = nn.Embedding(12, width)
        self.encoder = nn.GRU(width, width, batch_first=True, bidirectional=True)
        self.decoder = nn.GRU(width, 2 * width, batch_first=True)
        self.out = nn.Linear(2 * width, 12)

    def forward(self, sentence):
        _, state = self.encoder(self.embed(sentence))
        state = torch.cat(list(state), 1).unsqueeze(0)
        return self.out(self.decoder(self.embed(sentence[:, :-1]), state)[0])


model = Autoencoder()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(6):
    sentence = torch.randint(0, 12, (8, 9))
    loss = F.cross_entropy(model(sentence).flatten(0, 1), sentence[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
