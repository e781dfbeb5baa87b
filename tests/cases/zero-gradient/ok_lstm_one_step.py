import torch, torch.nn as nn
torch.manual_seed(0)
m, o = nn.LSTM(3, 8, batch_first=True), nn.Linear(8, 1); opt = torch.optim.Adam([*m.parameters(), *o.parameters()], 1e-2)
for i in range(12):
    x = torch.randn(8, 1, 3); loss = (o(m(x)[0][:, -1]) - x[:, 0, :1]).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step()
