"""nn.EmbeddingBag.from_pretrained freezes unless told otherwise; the vectors come from NumPy."""

import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(0)
rng = np.random.default_rng(0)


def load_vectors(n, dim):
    return torch.from_numpy(rng.normal(scale=0.1, size=(n, dim)).astype("float32"))


class TextClassifier(nn.Module):
    def __init__(self, vectors, classes):
        super().__init__()
        self.bag = nn.EmbeddingBag.from_pretrained(vectors, mode="mean")  # <- cause
        self.fc = nn.Linear(vectors.shape[1], classes)

    def forward(self, ids):
        return self.fc(self.bag(ids))


def main():
    model = TextClassifier(load_vectors(30, 8), 3)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    ids = torch.randint(0, 30, (24, 6))
    y = ids[:, 0] % 3
    for _ in range(12):
        loss = nn.functional.cross_entropy(model(ids), y)
        opt.zero_grad()
        loss.backward()
        opt.step()


main()
