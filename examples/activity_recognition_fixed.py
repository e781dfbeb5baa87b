"""Recognise what a person is doing from two seconds of a wrist sensor.

Generated recordings of six channels (accelerometer and gyroscope) are cut into patches, read by a small
transformer, pooled over time, standardised with running statistics, and classified by a linear head.
Needs nothing but torch, and a few seconds on a CPU:

    python examples/activity_recognition.py --epochs 6
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

ACTIVITIES = ["resting", "walking", "running", "cycling", "stairs up", "stairs down", "typing", "waving"]
CHANNELS, SAMPLES, RATE = 6, 96, 48.0


class WristRecordings(Dataset[tuple[Tensor, int]]):
    """Generated recordings: what tells activities apart is the rhythm and how the channels lag each other."""

    def __init__(self, count: int, seed: int) -> None:
        generator = torch.Generator().manual_seed(seed)
        self.labels = torch.randint(len(ACTIVITIES), (count,), generator=generator)
        seconds = torch.arange(SAMPLES) / RATE
        cadence = (1.0 + 0.45 * (self.labels % 4).float())[:, None, None]
        lag = torch.where(self.labels < 4, 1.0, -1.0)[:, None, None] * torch.arange(CHANNELS)[:, None] * 0.9
        start = torch.rand(count, 1, 1, generator=generator) * 2 * math.pi
        gain = 0.6 + 0.8 * torch.rand(count, CHANNELS, 1, generator=generator)
        noise = 0.7 * torch.randn(count, CHANNELS, SAMPLES, generator=generator)
        self.windows = gain * torch.sin(2 * math.pi * cadence * seconds + lag + start) + noise

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> tuple[Tensor, int]:
        return self.windows[index], int(self.labels[index])


class PatchEmbedding(nn.Module):
    """Cuts a recording into patches, and adds where each one stands in time."""

    def __init__(self, width: int, patch: int = 8) -> None:
        super().__init__()
        self.project = nn.Conv1d(CHANNELS, width, kernel_size=patch, stride=patch)
        self.position = nn.Parameter(torch.empty(1, SAMPLES // patch, width))
        nn.init.trunc_normal_(self.position, std=0.02)

    def forward(self, windows: Tensor) -> Tensor:
        return self.project(windows).transpose(1, 2) + self.position


class AttentionPool(nn.Module):
    """Averages over time with weights that are learned."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.score = nn.Linear(width, 1)

    def forward(self, tokens: Tensor) -> Tensor:
        weights = self.score(tokens).softmax(dim=1)
        return (weights * tokens).sum(dim=1)


class RunningStandardizer(nn.Module):
    """Brings every feature to mean 0 and variance 1, with statistics gathered over the whole training.

    Unlike BatchNorm it does the same in training and evaluation, so it does not depend on the batch size.
    """

    def __init__(self, width: int, momentum: float = 0.05, eps: float = 1e-5) -> None:
        super().__init__()
        self.momentum, self.eps = momentum, eps
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("var", torch.ones(width))
        self.register_buffer("seen", torch.zeros((), dtype=torch.long))

    def update(self, features: Tensor) -> None:
        rate = max(self.momentum, 1.0 / (int(self.seen) + 1))
        self.mean.lerp_(features.mean(dim=0), rate)
        self.var.lerp_(features.var(dim=0, unbiased=False), rate)
        self.seen += 1

    def forward(self, features: Tensor) -> Tensor:
        # the statistics are numbers, not part of the graph
        if self.training:
            self.update(features.detach())
        return (features - self.mean) / torch.sqrt(self.var + self.eps)


class ActivityNet(nn.Module):
    """Patches, transformer, pooling, standardising, head."""

    def __init__(self, width: int, depth: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.embed = PatchEmbedding(width)
        layer = nn.TransformerEncoderLayer(
            width, heads, 2 * width, dropout, activation="gelu", batch_first=True, norm_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, depth, nn.LayerNorm(width), enable_nested_tensor=False)
        self.pool = AttentionPool(width)
        self.standardize = RunningStandardizer(width)
        self.head = nn.Linear(width, len(ACTIVITIES))

    def forward(self, windows: Tensor) -> Tensor:
        features = self.pool(self.encoder(self.embed(windows)))
        return self.head(self.standardize(features))


def parameter_groups(model: nn.Module, weight_decay: float) -> list[dict[str, object]]:
    """Weights decay; biases, norms and positions do not."""
    decay, rest = [], []
    for name, parameter in model.named_parameters():
        (rest if parameter.ndim < 2 or name.endswith("position") else decay).append(parameter)
    return [{"params": decay, "weight_decay": weight_decay}, {"params": rest, "weight_decay": 0.0}]


def learning_rate_factor(step: int, warmup: int, total: int) -> float:
    """Linear warm-up, then half a cosine down to a tenth."""
    if step < warmup:
        return (step + 1) / warmup
    progress = min(1.0, (step - warmup) / max(1, total - warmup))
    return 0.1 + 0.45 * (1.0 + math.cos(math.pi * progress))


def train_epoch(
    model: nn.Module,
    loader: DataLoader[tuple[Tensor, int]],
    optimizer: torch.optim.Optimizer,
    scheduler: torch.optim.lr_scheduler.LRScheduler,
    clip: float,
) -> float:
    """One pass over the training set; the mean loss."""
    model.train()
    total = 0.0
    for windows, labels in loader:
        loss = F.cross_entropy(model(windows), labels, label_smoothing=0.05)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        scheduler.step()
        total += loss.item() * len(labels)
    return total / len(loader.dataset)


@torch.no_grad()
def evaluate(model: nn.Module, loader: DataLoader[tuple[Tensor, int]]) -> tuple[float, float]:
    """Mean loss and accuracy on held-out recordings."""
    model.eval()
    loss = correct = 0.0
    for windows, labels in loader:
        logits = model(windows)
        loss += F.cross_entropy(logits, labels, reduction="sum").item()
        correct += (logits.argmax(dim=1) == labels).sum().item()
    return loss / len(loader.dataset), correct / len(loader.dataset)


def save_checkpoint(folder: Path, model: nn.Module, optimizer: torch.optim.Optimizer, epoch: int) -> None:
    """Write what is needed to go on from here."""
    folder.mkdir(parents=True, exist_ok=True)
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}
    torch.save(state, folder / f"epoch-{epoch:03d}.pt")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Train a small transformer on generated wrist recordings.")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--recordings", type=int, default=2048, help="size of the training set")
    parser.add_argument("--width", type=int, default=48)
    parser.add_argument("--depth", type=int, default=2)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--weight-decay", type=float, default=0.02)
    parser.add_argument("--clip", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--checkpoints", type=Path, help="folder for one checkpoint an epoch (default: none)")
    return parser.parse_args()


def main() -> None:
    args = parse_arguments()
    torch.manual_seed(args.seed)
    train_set = WristRecordings(args.recordings, seed=1)
    test_set = WristRecordings(args.recordings // 4, seed=2)
    train_loader = DataLoader(train_set, args.batch_size, shuffle=True, drop_last=True)
    test_loader = DataLoader(test_set, 2 * args.batch_size)

    model = ActivityNet(args.width, args.depth, args.heads, args.dropout)
    optimizer = torch.optim.AdamW(parameter_groups(model, args.weight_decay), lr=args.lr)
    total = args.epochs * len(train_loader)
    scheduler = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: learning_rate_factor(step, warmup=total // 10, total=total)
    )
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters, {total} steps")

    for epoch in range(1, args.epochs + 1):
        start = time.perf_counter()
        train_loss = train_epoch(model, train_loader, optimizer, scheduler, args.clip)
        test_loss, accuracy = evaluate(model, test_loader)
        seconds = time.perf_counter() - start
        print(
            f"epoch {epoch}  train loss {train_loss:.3f}  test loss {test_loss:.3f}"
            f"  accuracy {accuracy:.3f}  {seconds:.1f} s"
        )
        if args.checkpoints is not None:
            save_checkpoint(args.checkpoints, model, optimizer, epoch)


if __name__ == "__main__":
    main()
