"""Softmax regression whose weights are set to zero through ``detach()`` in ``__init__``.

The line looks as if it cut the weight matrix from the graph, and a widely copied explanation says so. It does
not: ``detach()`` gives a second tensor over the same storage, ``zero_()`` writes zeros into that storage, and
``linear.weight`` stays what it was, a leaf that requires grad. The model trains, and whygrad says so.

    python examples/softmax_regression.py
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SoftmaxRegression(nn.Module):
    """One linear layer and a softmax."""

    def __init__(self, num_features: int, num_classes: int) -> None:
        super().__init__()
        self.linear = nn.Linear(num_features, num_classes)
        self.linear.weight.detach().zero_()
        self.linear.bias.detach().zero_()

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        logits = self.linear(x)
        return logits, F.softmax(logits, dim=1)


def three_clusters(count: int) -> tuple[Tensor, Tensor]:
    """Points around three centers, and which one each belongs to."""
    centers = torch.tensor([[0.0, 2.0], [2.0, -1.0], [-2.0, -1.0]])
    labels = torch.randint(len(centers), (count,))
    return centers[labels] + torch.randn(count, 2), labels


def main() -> None:
    torch.manual_seed(123)
    points, labels = three_clusters(300)
    model = SoftmaxRegression(num_features=2, num_classes=3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)

    for epoch in range(1, 31):
        logits, probabilities = model(points)
        loss = F.cross_entropy(logits, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if epoch == 1 or epoch % 10 == 0:
            accuracy = (probabilities.argmax(dim=1) == labels).float().mean().item()
            print(f"epoch {epoch:2d}  loss {loss.item():.4f}  accuracy {accuracy:.3f}")


if __name__ == "__main__":
    main()
