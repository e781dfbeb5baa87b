"""Smoothed and soft labels, signs, a margin with its target of 1."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
model, encoder = nn.Linear(5, 1), nn.Linear(5, 4)
optimizer = torch.optim.Adam([*model.parameters(), *encoder.parameters()], lr=1e-3)
for step in range(12):
    x = torch.randn(32, 5)
    y = (x[:, 0] > 0).float()
    score = model(x).squeeze(1)
    loss = F.binary_cross_entropy_with_logits(score, 0.05 + 0.9 * y) + F.soft_margin_loss(score, 2 * y - 1)
    loss = loss + F.margin_ranking_loss(score[:16], score[16:], torch.ones(16), margin=0.1)
    loss = loss + F.cosine_embedding_loss(encoder(x), encoder(x.flip(0)), 2 * y - 1)
    loss = loss + F.hinge_embedding_loss(score.abs(), 2 * y - 1)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
