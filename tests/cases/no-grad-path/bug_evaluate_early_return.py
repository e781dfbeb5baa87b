"""An evaluation helper switches autograd off and returns early before it switches it on again."""
import torch
import torch.nn as nn

torch.manual_seed(0)


def evaluate(model, x, y, max_batches=2):
    model.eval()
    torch.set_grad_enabled(False)  # <- cause
    right = 0
    for i, (a, b) in enumerate(zip(x.split(16), y.split(16))):
        right += (model(a).argmax(1) == b).sum().item()
        if i + 1 == max_batches:
            model.train()
            return right / (16 * max_batches)
    torch.set_grad_enabled(True)
    model.train()
    return right / len(x)


def main():
    x, y = torch.randn(128, 6), torch.randint(0, 2, (128,))
    embed = nn.Linear(6, 16)
    model = nn.Sequential(nn.ReLU(), nn.Linear(16, 2))
    opt = torch.optim.SGD([*embed.parameters(), *model.parameters()], lr=0.1)
    for epoch in range(4):
        accuracy = evaluate(nn.Sequential(embed, model), x, y)
        for a, b in zip(x.split(16), y.split(16)):
            loss = nn.functional.cross_entropy(model(embed(a)), b)
            opt.zero_grad()
            loss.backward()
            opt.step()


main()
