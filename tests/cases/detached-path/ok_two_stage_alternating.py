import torch, torch.nn as nn
torch.manual_seed(0)
enc, head = nn.Sequential(nn.Linear(4, 8), nn.ReLU()), nn.Linear(8, 2); oe, oh = torch.optim.Adam(enc.parameters(), 1e-2), torch.optim.Adam(head.parameters(), 1e-2)
for i in range(24):
    x, y = torch.randn(8, 4), torch.randint(0, 2, (8,))
    if i % 3 == 2:
        loss = nn.functional.cross_entropy(head(enc(x).detach()), y); oh.zero_grad(); loss.backward(); oh.step()
    else:
        loss = nn.functional.cross_entropy(head(enc(x)), y); oe.zero_grad(); loss.backward(); oe.step()
