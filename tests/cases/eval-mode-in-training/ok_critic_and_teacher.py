"""While the generator steps, its judge is in evaluation mode; a teacher always is."""

import torch
from torch import nn

torch.manual_seed(0)


def net(inputs, outputs):
    return nn.Sequential(
        nn.Linear(inputs, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, outputs)
    )


generator, judge, teacher = net(4, 6), net(6, 1), net(4, 6)
teacher.eval()
for_generator = torch.optim.Adam(generator.parameters(), lr=1e-3)
for_judge = torch.optim.Adam(judge.parameters(), lr=1e-3)
bce = nn.BCEWithLogitsLoss()
for _ in range(10):
    noise, real = torch.randn(16, 4), torch.randn(16, 6) + 1
    judge.train()
    fake = generator(noise)
    for_judge.zero_grad()
    (bce(judge(real), torch.ones(16, 1)) + bce(judge(fake.detach()), torch.zeros(16, 1))).backward()
    for_judge.step()
    judge.eval()
    for_generator.zero_grad()
    distance = (generator(noise) - teacher(noise)).square().mean()
    (bce(judge(fake), torch.ones(16, 1)) + distance).backward()
    for_generator.step()
