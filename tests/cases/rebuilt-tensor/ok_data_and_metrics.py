"""torch.tensor for data, targets, class weights and logged numbers."""
import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.tensor(np.random.RandomState(0).randn(64, 5), dtype=torch.float32)
y = torch.as_tensor([int(v) for v in (x[:, 0] > 0)])
weights = torch.tensor([0.7, 1.3])
model = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 2))
with torch.no_grad():
    model[2].bias.copy_(torch.tensor([0.1, -0.1]))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
history = []
for step in range(20):
    logits = model(x)
    loss = nn.functional.cross_entropy(logits, y, weight=weights)
    opt.zero_grad()
    loss.backward()
    opt.step()
    history.append(loss.item())
    predicted = logits.argmax(1).numpy()
    mean = torch.tensor(history).mean().item()
    soft = logits.detach().cpu().numpy()
    score = float((torch.from_numpy(soft).argmax(1) == y).float().mean())
