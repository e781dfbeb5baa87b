import torch, torch.nn as nn
torch.manual_seed(0)
w = {"main": torch.tensor(1.0), "aux": torch.tensor(0.0)}  # <- cause
b, h1, h2 = nn.Linear(4, 8), nn.Linear(8, 1), nn.Linear(8, 3); opt = torch.optim.Adam([*b.parameters(), *h1.parameters(), *h2.parameters()], 1e-2)
for i in range(12):
    x, y = torch.randn(8, 4), torch.randint(0, 3, (8,)); h = torch.relu(b(x))
    losses = {"main": (h1(h) - x[:, :1]).pow(2).mean(), "aux": nn.functional.cross_entropy(h2(h), y)}
    loss = sum(w[k] * losses[k] for k in losses)  # <- cause
    opt.zero_grad(); loss.backward(); opt.step()
