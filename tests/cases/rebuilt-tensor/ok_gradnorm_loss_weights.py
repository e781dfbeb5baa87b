import torch, torch.nn as nn
torch.manual_seed(0)
b, h1, h2 = nn.Linear(4, 8), nn.Linear(8, 1), nn.Linear(8, 1); opt = torch.optim.Adam([*b.parameters(), *h1.parameters(), *h2.parameters()], 1e-2); w = [1.0, 1.0]
for i in range(14):
    x = torch.randn(8, 4); h = torch.relu(b(x)); l1, l2 = (h1(h) - x[:, :1]).pow(2).mean(), (h2(h) - x[:, 1:2]).abs().mean()
    loss = w[0] * l1 + w[1] * l2; opt.zero_grad(); loss.backward(); opt.step()
    w = [l1.item() / (l1.item() + l2.item()), l2.item() / (l1.item() + l2.item())]; t = torch.tensor(w)
