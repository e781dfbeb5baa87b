"""set_grad_enabled(phase == "trian"): the flag never is true."""
import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.ModuleDict({"body": nn.Linear(4, 8), "head": nn.Linear(8, 2)})
opt = torch.optim.SGD(model.parameters(), lr=0.1)
data = {p: (torch.randn(32, 4), torch.randint(0, 2, (32,))) for p in ("train", "val")}
for epoch in range(12):
    for phase in ("train", "val"):
        x, y = data[phase]
        opt.zero_grad()
        with torch.set_grad_enabled(phase == "trian"):  # <- cause
            h = torch.relu(model["body"](x))
        loss = nn.functional.cross_entropy(model["head"](h), y)
        if phase == "train":
            loss.backward()
            opt.step()
