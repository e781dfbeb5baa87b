"""clip_grad_value_ on scaled gradients, SGD."""
import torch
import torch.nn as nn

torch.manual_seed(0)


def train(model, batches):
    opt = torch.optim.SGD(model.parameters(), lr=1e-2)
    scaler = torch.amp.GradScaler("cpu")
    for x, y in batches:
        opt.zero_grad(set_to_none=True)
        loss = nn.functional.l1_loss(model(x), y)
        scaler.scale(loss).backward()
        nn.utils.clip_grad_value_(model.parameters(), 1.0)  # <- cause
        scaler.step(opt)
        scaler.update()


train(
    nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1)),
    [(torch.randn(16, 4), torch.randn(16, 1)) for _ in range(15)],
)
