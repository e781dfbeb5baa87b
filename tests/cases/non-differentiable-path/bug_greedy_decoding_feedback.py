"""Prompt encoder only reaches the reward model through greedily decoded tokens (multinomial sampling)."""
import torch
import torch.nn as nn

torch.manual_seed(0)
writer = nn.Sequential(nn.Embedding(10, 8), nn.Linear(8, 10))
reader = nn.Sequential(nn.Embedding(10, 8), nn.Flatten(), nn.Linear(8 * 4, 1))
opt = torch.optim.Adam([*writer.parameters(), *reader.parameters()], lr=1e-2)


def write(prompt):
    probs = writer(prompt).softmax(-1)
    return torch.multinomial(probs.flatten(0, 1), 1).view_as(prompt)  # <- cause


for step in range(12):
    prompt = torch.randint(0, 10, (8, 4))
    text = write(prompt)
    loss = nn.functional.mse_loss(reader(text).squeeze(1), prompt.float().mean(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
