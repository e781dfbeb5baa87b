"""Hooks that log, clip, scale or mask a part; a hook that zeroes at some steps only; post-accumulate hooks."""
import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Embedding(10, 8), nn.Flatten(), nn.Linear(24, 16), nn.ReLU(), nn.Linear(16, 2))
norms, step = [], 0
rows = torch.ones(10, 1)
rows[:5] = 0
model[0].weight.register_hook(lambda g: g * rows)
model[2].weight.register_hook(lambda g: norms.append(g.norm().item()))
model[2].bias.register_hook(lambda g: g.clamp(-0.1, 0.1))
model[4].weight.register_hook(lambda g: g * 0 if step < 3 else g * 0.5)
model[4].register_full_backward_hook(lambda m, i, o: None)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(15):
    tokens, y = torch.randint(0, 10, (16, 3)), torch.randint(0, 2, (16,))
    loss = nn.functional.cross_entropy(model(tokens), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
