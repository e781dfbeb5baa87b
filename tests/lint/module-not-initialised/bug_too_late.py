from torch import nn


class Net(nn.Module):
    def __init__(self, width):
        self.width = width
        self.fc = nn.Linear(width, 2)  # <- cause
        super().__init__()

    def forward(self, x):
        return self.fc(x)


class Other(nn.Module):
    """Never calls it."""

    def __init__(self, width):
        """Make the layers."""
        self.fc = nn.Linear(width, 2)  # <- cause

    def forward(self, x):
        return self.fc(x)
