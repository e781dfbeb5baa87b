"""Node embeddings are joined through numpy arrays."""
import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(0)


class TreeEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.leaf = nn.Embedding(10, 8)
        self.compose = nn.Linear(16, 8)

    def encode(self, tree):
        if isinstance(tree, int):
            return self.leaf(torch.tensor(tree))
        return torch.tanh(self.compose(torch.cat([self.encode(tree[0]), self.encode(tree[1])])))


encoder, head = TreeEncoder(), nn.Linear(8, 2)
opt = torch.optim.Adam([*encoder.parameters(), *head.parameters()], lr=1e-2)
trees = [((1, 2), 3), (4, (5, 6)), ((7, 8), (9, 0)), (1, 5)]
labels = torch.tensor([0, 1, 1, 0])
for step in range(15):
    vectors = [encoder.encode(t).detach().numpy() for t in trees]  # <- cause
    batch = torch.from_numpy(np.stack(vectors))  # <- cause
    loss = nn.functional.cross_entropy(head(batch), labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
