"""A CNN whose init function sets filters to a constant; the loader shuffles, the filters stay one."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


def init_all(module):
    if hasattr(module, "weight") and module.weight.dim() > 1:
        torch.nn.init.constant_(module.weight, 0.01)  # <- cause
    if getattr(module, "bias", None) is not None:
        torch.nn.init.zeros_(module.bias)


model = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Conv2d(8, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
                      nn.Flatten(), nn.Linear(8, 4))
model.apply(init_all)
loader = DataLoader(TensorDataset(torch.rand(96, 1, 8, 8), torch.randint(0, 4, (96,))), batch_size=8, shuffle=True)
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for images, labels in loader:
    opt.zero_grad()
    nn.functional.cross_entropy(model(images), labels).backward()
    opt.step()
