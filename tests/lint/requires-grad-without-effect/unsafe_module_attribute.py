import torchvision
from torch import nn

model = torchvision.models.resnet18(weights="DEFAULT")
net = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 2))
net.requires_grad_(False)  # <- cause
for name, child in net.named_children():
    if name != "2":
        child.requires_grad_(False)  # <- cause
for p in net.parameters():
    p.requires_grad = False  # <- cause
for p in net[2].parameters():
    p.requires_grad = True  # <- cause
