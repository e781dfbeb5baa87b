"""A language model whose padding is the end token: no padding_idx, labels shifted inside of the model."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
END = 31


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte = nn.Embedding(32, 24)
        self.block = nn.TransformerEncoderLayer(24, 2, 48, dropout=0.0, batch_first=True)
        self.head = nn.Linear(24, 32, bias=False)

    def forward(self, ids, labels):
        n = ids.shape[1]
        mask = nn.Transformer.generate_square_subsequent_mask(n)
        logits = self.head(self.block(self.wte(ids), src_mask=mask, is_causal=True))
        return F.cross_entropy(logits[:, :-1].reshape(-1, 32), labels[:, 1:].reshape(-1))  # <- cause


model = Decoder()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(12):
    ids = torch.randint(0, END, (8, 40))
    lengths = torch.randint(4, 15, (8, 1))
    ids = torch.where(torch.arange(40) < lengths, ids, END)
    loss = model(ids, ids.clone())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
