"""Matrix factorisation: the dot product is [N], the biases come out of embeddings as [N, 1]."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class Factorisation(nn.Module):
    def __init__(self, users, items, width):
        super().__init__()
        self.user, self.item = nn.Embedding(users, width), nn.Embedding(items, width)
        self.user_bias, self.item_bias = nn.Embedding(users, 1), nn.Embedding(items, 1)

    def forward(self, u, i):
        match = (self.user(u) * self.item(i)).sum(1)
        return match + self.user_bias(u) + self.item_bias(i)  # <- cause


model = Factorisation(50, 40, 8)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(12):
    u, i = torch.randint(0, 50, (32,)), torch.randint(0, 40, (32,))
    rating = torch.randint(1, 6, (32,)).float()
    loss = F.mse_loss(model(u, i), rating)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
