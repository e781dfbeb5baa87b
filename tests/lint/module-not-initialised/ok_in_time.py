import torch
from torch import nn


class Early(nn.Module):
    def __init__(self, width):
        self.width = width
        self.names = ["a", "b"]
        super().__init__()
        self.fc = nn.Linear(width, 2)


class ByName(nn.Module):
    def __init__(self, width):
        nn.Module.__init__(self)
        self.fc = nn.Linear(width, 2)


class Old(nn.Module):
    def __init__(self, width):
        super(Old, self).__init__()
        self.fc = nn.Linear(width, 2)


class Mixed(Helper, nn.Module):
    def __init__(self, width):
        self.fc = nn.Linear(width, 2)


class NoModule:
    def __init__(self, width):
        self.fc = nn.Linear(width, 2)
        self.optimizer = torch.optim.Adam(self.fc.parameters())
