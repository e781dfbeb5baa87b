"""A binary classifier with one output and a softmax."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Spam(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.EmbeddingBag(50, 16)
        self.fc = nn.Linear(16, 1)
        self.softmax = nn.Softmax(dim=1)

    def forward(self, tokens):
        return self.softmax(self.fc(self.embed(tokens)))  # <- cause


model = Spam()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(15):
    tokens = torch.randint(0, 50, (16, 7))
    y = (tokens.float().mean(1) > 25).float()
    loss = nn.functional.binary_cross_entropy(model(tokens).squeeze(1), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
