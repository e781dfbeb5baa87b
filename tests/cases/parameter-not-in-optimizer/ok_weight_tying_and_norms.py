import torch
import torch.nn as nn

torch.manual_seed(0)


class LM(nn.Module):
    def __init__(self, v=20, d=8):
        super().__init__()
        self.emb = nn.Embedding(v, d, padding_idx=0)
        self.rnn = nn.LSTM(d, d, batch_first=True)
        self.out = nn.Linear(d, v)
        self.out.weight = self.emb.weight
        self.sn = nn.utils.parametrizations.spectral_norm(nn.Linear(d, d))
        self.wn = nn.utils.parametrizations.weight_norm(nn.Linear(d, d))

    def forward(self, x):
        return self.out(self.wn(self.sn(self.rnn(self.emb(x))[0])))


m = LM()
opt = torch.optim.AdamW(m.parameters(), 1e-2)
for _ in range(11):
    x = torch.randint(1, 20, (6, 7))
    loss = nn.functional.cross_entropy(m(x).flatten(0, 1), x.flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
