"""A little framework: a trainer with callbacks, a model in an attribute, optimizers made late, a retried batch."""

import torch
from torch import nn


class Callback:
    def on_step_end(self, trainer):
        trainer.log.append((trainer.step, trainer.loss))


class Task(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(4, 8)
        self.heads = nn.ModuleDict({"a": nn.Linear(8, 1), "b": nn.Linear(8, 1)})

    def training_step(self, batch):
        x, y = batch
        h = self.encoder(x).relu()
        return sum((head(h) - y).abs().mean() for head in self.heads.values())

    def configure_optimizers(self):
        return {"optimizer": torch.optim.AdamW(self.parameters(), lr=0.01, fused=None)}


class Trainer:
    def __init__(self, callbacks):
        self.callbacks, self.log, self.step, self.failures = callbacks, [], 0, 0

    def fit(self, task, loader):
        self.task = task
        for batch in loader:
            if not hasattr(self, "optimizer"):
                self.optimizer = task.configure_optimizers()["optimizer"]
            self.run(batch)

    def run(self, batch):
        try:
            self.optimizer.step(self.closure(batch))
        except RuntimeError:
            self.failures += 1
            self.optimizer.zero_grad()
            self.optimizer.step(self.closure([t[:, :4] for t in batch]))
        self.step += 1
        for callback in self.callbacks:
            callback.on_step_end(self)

    def closure(self, batch):
        def closure():
            loss = self.task.training_step(batch)
            self.optimizer.zero_grad()
            loss.backward()
            self.loss = loss.item()
            return loss

        return closure


def main():
    torch.manual_seed(1)
    x = torch.randn(10, 16, 4)
    data = [(batch, batch.sum(1, keepdim=True)) for batch in x]
    data[3] = (torch.cat([data[3][0]] * 2, dim=1), data[3][1])
    trainer = Trainer([Callback()])
    trainer.fit(Task(), data)
    print(trainer.log, trainer.failures)
    return trainer


trainer = main()
