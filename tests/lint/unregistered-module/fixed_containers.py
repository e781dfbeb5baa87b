import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, width, depth, languages):
        super().__init__()
        self.embed = nn.Embedding(100, width)
        self.layers = nn.ModuleList([nn.TransformerEncoderLayer(width, 4) for _ in range(depth)])  # <- cause
        self.heads = nn.ModuleDict({"rank": nn.Linear(width, 1), "class": nn.Linear(width, 5)})  # <- cause
        self.gates = nn.ParameterList([])  # <- cause
        for _ in range(depth):
            self.gates.append(nn.Parameter(torch.zeros(width)))
        self.by_language = {}  # <- cause
        for language in languages:
            self.by_language[language] = nn.Linear(width, width)

    def forward(self, tokens, task, language):
        h = self.by_language[language](self.embed(tokens))
        for layer, gate in zip(self.layers, self.gates):
            h = h + gate.sigmoid() * layer(h)
        return self.heads[task](h.mean(1))
