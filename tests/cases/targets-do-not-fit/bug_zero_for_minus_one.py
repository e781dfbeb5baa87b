"""Pairs marked with 1 and 0, where cosine_embedding_loss wants 1 and -1."""
import torch
import torch.nn as nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 8))
criterion = nn.CosineEmbeddingLoss(margin=0.2)
optimizer = torch.optim.Adam(encoder.parameters(), lr=1e-3)
for step in range(12):
    a, b = torch.randn(32, 6), torch.randn(32, 6)
    same = ((a[:, 0] > 0) == (b[:, 0] > 0)).float()
    loss = criterion(encoder(a), encoder(b), same)  # <- cause
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
