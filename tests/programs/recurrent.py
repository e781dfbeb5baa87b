"""LSTM, GRU and RNN, with packed sequences, hidden states carried on and truncated backpropagation."""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(20, 8, padding_idx=0)
        self.lstm = nn.LSTM(8, 8, num_layers=2, dropout=0.1, bidirectional=True, batch_first=True)
        self.gru = nn.GRU(16, 8, batch_first=True)
        self.cell = nn.RNNCell(8, 8)
        self.out = nn.Linear(8, 20)

    def forward(self, tokens, lengths, memory):
        packed = pack_padded_sequence(self.embed(tokens), lengths, batch_first=True, enforce_sorted=False)
        h, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        h, _ = self.gru(h)
        for t in range(h.size(1)):
            memory = self.cell(h[:, t], memory)
        return self.out(h + memory[:, None]), memory


torch.manual_seed(1)
model = Tagger()
optimizer = torch.optim.RMSprop(model.parameters(), lr=5e-3)
tokens = torch.randint(1, 20, (4, 6))
lengths = torch.tensor([6, 5, 3, 6])
memory = torch.zeros(4, 8)
for step in range(8):
    memory = memory.detach()
    logits, memory = model(tokens, lengths, memory)
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
