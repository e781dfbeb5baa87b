"""`not step % n` and the wrong operand: with the remainder as a truth value the step is left out."""

import torch
import torch.nn as nn

torch.manual_seed(0)


def main(accumulation_steps=1):
    model = nn.GRU(3, 8, batch_first=True)
    head = nn.Linear(8, 1)
    params = [*model.parameters(), *head.parameters()]
    optimizer = torch.optim.RMSprop(params, lr=1e-3)
    for step in range(1, 60):
        x = torch.randn(8, 5, 3)
        loss = (head(model(x)[0][:, -1]) - x.sum((1, 2)).unsqueeze(1)).pow(2).mean()
        (loss / accumulation_steps).backward()
        if (step + 1) % accumulation_steps:  # <- cause
            optimizer.step()
            optimizer.zero_grad()


main()
