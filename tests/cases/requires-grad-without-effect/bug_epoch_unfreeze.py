"""The backbone is to be unfrozen from epoch 1 on; the assignment goes to the module."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class FineTuner:
    def __init__(self, backbone, head):
        self.backbone, self.head = backbone, head
        for p in self.backbone.parameters():
            p.requires_grad = False
        self.optimizer = torch.optim.SGD([*backbone.parameters(), *head.parameters()], lr=0.05, momentum=0.9)

    def on_epoch_start(self, epoch):
        if epoch == 1:
            self.backbone.requires_grad = True  # <- cause

    def fit(self, loader, epochs):
        for epoch in range(epochs):
            self.on_epoch_start(epoch)
            for x, y in loader:
                loss = nn.functional.cross_entropy(self.head(self.backbone(x)), y)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()


data = torch.utils.data.TensorDataset(torch.randn(80, 6), torch.randint(0, 3, (80,)))
loader = torch.utils.data.DataLoader(data, batch_size=20, shuffle=True)
FineTuner(nn.Sequential(nn.Linear(6, 16), nn.ReLU()), nn.Linear(16, 3)).fit(loader, 5)
