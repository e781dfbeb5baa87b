"""A decay of 1 in a trainer's optimizer: the weights go to zero, the class prior is all that is learned."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Trainer:
    def __init__(self, model, lr, decay):
        self.model = model
        self.loss = nn.CrossEntropyLoss()
        self.opt = torch.optim.SGD(model.parameters(), lr=lr, weight_decay=decay)  # <- cause

    def train_one_epoch(self, x, y):
        self.model.train()
        for i in range(0, len(x), 32):
            self.opt.zero_grad()
            loss = self.loss(self.model(x[i:i + 32]), y[i:i + 32])
            loss.backward()
            self.opt.step()


x = torch.randn(320, 12)
y = (x[:, 0] > 0).long() + (x[:, 1] > 0.5).long()
net = nn.Sequential(nn.Linear(12, 48), nn.Tanh(), nn.Linear(48, 24), nn.Tanh(), nn.Linear(24, 3))
trainer = Trainer(net, lr=0.1, decay=1.0)
for epoch in range(3):
    trainer.train_one_epoch(x, y)
