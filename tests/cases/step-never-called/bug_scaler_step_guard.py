import torch
import torch.nn as nn

torch.manual_seed(0)


def train(net, opt, scaler, data, accum):
    for step, (x, y) in enumerate(data):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = nn.functional.cross_entropy(net(x), y)
        scaler.scale(loss / accum).backward()
        if step % accum == accum:  # <- cause
            scaler.step(opt)
            scaler.update()
            opt.zero_grad()


net = nn.Linear(3, 2)
train(
    net,
    torch.optim.SGD(net.parameters(), 0.1),
    torch.amp.GradScaler("cpu"),
    [(torch.randn(4, 3), torch.randint(0, 2, (4,))) for _ in range(60)],
    2,
)
