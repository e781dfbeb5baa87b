import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


def make():
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 3))


student, teacher = make(), make()
teacher.load_state_dict(student.state_dict())
teacher.train()
opt = torch.optim.Adam(student.parameters(), 1e-2)
for step in range(12):
    x = torch.randn(32, 6)
    y = x[:, :3].argmax(1)
    s, t = student(x), teacher(x + 0.05 * torch.randn_like(x))
    loss = F.cross_entropy(s, y) + F.mse_loss(s.softmax(1), t.softmax(1).detach())
    opt.zero_grad()
    loss.backward()
    opt.step()
    for p, q in zip(teacher.parameters(), student.parameters()):
        p.data.mul_(0.95).add_(q.data, alpha=0.05)
