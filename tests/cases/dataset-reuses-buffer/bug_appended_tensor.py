"""One tensor is filled and appended again and again, and stacked in the end."""
import torch
import torch.nn as nn

torch.manual_seed(0)
row = torch.zeros(6)
rows, answers = [], []
for k in range(120):
    row.normal_()
    row[0] = k % 3
    rows.append(row)  # <- cause
    answers.append(float(row.sum()))
x = torch.stack(rows)
y = torch.tensor(answers).unsqueeze(1)
model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
for epoch in range(5):
    for i in range(0, 120, 30):
        loss = ((model(x[i : i + 30]) - y[i : i + 30]) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
