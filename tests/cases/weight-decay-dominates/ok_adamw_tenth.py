"""AdamW with 0.1, as for language models: the weights shrink a little, the gradient leads."""
import torch
import torch.nn as nn

torch.manual_seed(0)
tokens = torch.randint(0, 20, (64, 9))


class Tiny(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(20, 32)
        self.block = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, dropout=0.0)
        self.head = nn.Linear(32, 20)

    def forward(self, ids):
        mask = nn.Transformer.generate_square_subsequent_mask(ids.shape[1])
        return self.head(self.block(self.emb(ids), src_mask=mask, is_causal=True))


model = Tiny()
opt = torch.optim.AdamW(model.parameters(), lr=3e-4, weight_decay=0.1)
for step in range(14):
    loss = nn.functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
