import torch, torch.nn as nn
torch.manual_seed(0)
class Det(nn.Module):
    def __init__(s): super().__init__(); s.b = nn.Linear(4, 16); s.cls = nn.Linear(16, 3); s.box = nn.Linear(16, 4)
    def forward(s, x): h = torch.relu(s.b(x)); return s.cls(h), s.box(h).sigmoid()
m = Det(); opt = torch.optim.AdamW(m.parameters(), 1e-3)
for i in range(16):
    x = torch.randn(10, 4); c, b = m(x); n = 0 if i % 4 == 0 else 3; idx = torch.arange(n); tgt = torch.zeros(10, dtype=torch.long); tgt[:n] = 1
    loss = nn.functional.cross_entropy(c, tgt) + (b[idx] - 0.5).abs().sum() / max(n, 1); opt.zero_grad(); loss.backward(); opt.step()
