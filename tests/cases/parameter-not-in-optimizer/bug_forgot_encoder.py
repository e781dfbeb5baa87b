"""Two models, one optimizer: the encoder was forgotten; gradient norms are logged for both."""

import torch
import torch.nn as nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Embedding(30, 8), nn.Flatten(), nn.Linear(40, 16), nn.Tanh())
decoder = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 30))
optimizer = torch.optim.Adam(decoder.parameters(), lr=1e-3)  # <- cause


def grad_norm(net):
    return sum(p.grad.norm() ** 2 for p in net.parameters() if p.grad is not None) ** 0.5


def train(batches):
    for ids in batches:
        optimizer.zero_grad()
        logits = decoder(encoder(ids))
        loss = nn.functional.cross_entropy(logits, ids[:, 0])
        loss.backward()
        norms = grad_norm(encoder), grad_norm(decoder)
        optimizer.step()
    return norms


train([torch.randint(0, 30, (16, 5)) for _ in range(14)])
