import torch, torch.nn as nn
torch.manual_seed(0)
class T(nn.Module):
    def __init__(s): super().__init__(); s.e = nn.Embedding(30, 16, padding_idx=0); s.p = nn.Parameter(torch.zeros(1, 8, 16)); s.t = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, 0.1, batch_first=True), 2); s.o = nn.Linear(16, 30); s.o.weight = s.e.weight
    def forward(s, x):
        m = nn.Transformer.generate_square_subsequent_mask(x.size(1)); return s.o(s.t(s.e(x) + s.p[:, :x.size(1)], mask=m, src_key_padding_mask=(x == 0).float().masked_fill(x == 0, float("-inf"))))
net = T(); opt = torch.optim.AdamW(net.parameters(), 1e-3)
for i in range(12):
    x = torch.randint(1, 30, (4, 8)); x[0, 6:] = 0
    loss = nn.functional.cross_entropy(net(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten(), ignore_index=0); opt.zero_grad(); loss.backward(); opt.step()
