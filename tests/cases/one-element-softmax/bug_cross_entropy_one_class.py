"""cross_entropy with logits of shape [N, 1]: log_softmax over one class."""
import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Conv1d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 14, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
for step in range(15):
    x = torch.randn(16, 1, 16)
    y = torch.zeros(16, dtype=torch.long)
    loss = criterion(model(x), y)  # <- cause
    opt.zero_grad()
    loss.backward()
    opt.step()
