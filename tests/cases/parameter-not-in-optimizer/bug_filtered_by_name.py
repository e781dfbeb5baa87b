"""Parameter groups by name: neither group takes the embeddings."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.token_embedding = nn.Embedding(20, 8)
        self.block = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
        self.out = nn.Linear(8, 20)

    def forward(self, ids):
        return self.out(self.block(self.token_embedding(ids)))


def param_groups(model, decay):
    with_decay, without = [], []
    for name, p in model.named_parameters():
        if name.endswith("bias") or "norm" in name:
            without.append(p)
        elif "linear" in name or "proj" in name or name.startswith("out"):
            with_decay.append(p)
    return [{"params": with_decay, "weight_decay": decay}, {"params": without, "weight_decay": 0.0}]


net = Net()
opt = torch.optim.AdamW(param_groups(net, 0.01), lr=1e-3)  # <- cause
for _ in range(12):
    ids = torch.randint(0, 20, (8, 6))
    loss = nn.functional.cross_entropy(net(ids).flatten(0, 1), ids.flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
