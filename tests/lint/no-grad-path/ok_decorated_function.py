import torch
import torch.nn.functional as F
from torch import nn


@torch.no_grad()
def pseudo_labels(net, batch):
    return net(batch).argmax(1)


@torch.no_grad()
def embed(tower, batch):
    return tower(batch)


def self_training(batches):
    student = nn.Linear(6, 3)
    adam = torch.optim.Adam(student.parameters())
    for batch in batches:
        adam.zero_grad()
        F.cross_entropy(student(batch), pseudo_labels(student, batch)).backward()
        adam.step()


def distil(batches):
    teacher, head = nn.Linear(6, 3), nn.Linear(6, 3)
    adam = torch.optim.Adam(head.parameters())
    for batch in batches:
        adam.zero_grad()
        (head(batch) - embed(teacher, batch)).square().mean().backward()
        adam.step()


def measured(batches):
    trunk = nn.Linear(6, 3)
    adam = torch.optim.Adam(trunk.parameters())
    for batch in batches:
        adam.zero_grad()
        (trunk(batch) - embed(trunk, batch.flip(0))).square().mean().backward()
        adam.step()
    print(embed(trunk, batches[0]))
