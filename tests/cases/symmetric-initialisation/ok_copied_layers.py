"""TransformerEncoder copies its layer; the copies see different data and come apart."""
import torch
import torch.nn as nn

torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
model = nn.Sequential(nn.TransformerEncoder(layer, 3), nn.Linear(16, 2))
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(12):
    x = torch.randn(8, 5, 16)
    loss = nn.functional.cross_entropy(model(x).mean(1), (x[:, 0, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
