"""DQN: a target network behind detach(), updated now and then by load_state_dict."""
import torch
import torch.nn as nn

torch.manual_seed(0)


def make():
    return nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 3))


online, target = make(), make()
target.load_state_dict(online.state_dict())
opt = torch.optim.RMSprop(online.parameters(), lr=1e-3)
for step in range(25):
    s, s2 = torch.randn(16, 4), torch.randn(16, 4)
    a, r = torch.randint(0, 3, (16,)), torch.rand(16)
    q = online(s).gather(1, a[:, None]).squeeze(1)
    best = online(s2).argmax(1, keepdim=True)
    aim = r + 0.9 * target(s2).gather(1, best).squeeze(1).detach()
    loss = nn.functional.smooth_l1_loss(q, aim)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 5 == 0:
        target.load_state_dict(online.state_dict())
