"""The padding row is zeroed through a view of the weight that it requires grad for."""
import torch
from torch import nn

torch.manual_seed(0)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(20, 4)
        self.out = nn.Linear(4, 2)
        row = self.tokens.weight[0]
        row.zero_()  # <- cause

    def forward(self, ids):
        return self.out(self.tokens(ids).mean(1))


model = Tagger()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
