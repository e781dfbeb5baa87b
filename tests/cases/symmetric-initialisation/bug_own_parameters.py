"""Hand-written layers: x @ w, with one unit in each column of w, and all columns equal."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Layer(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.w = nn.Parameter(torch.full((n_in, n_out), 0.2))  # <- cause
        self.b = nn.Parameter(torch.zeros(n_out))

    def forward(self, x):
        return x @ self.w + self.b


model = nn.Sequential(Layer(3, 16), nn.Sigmoid(), Layer(16, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.5)
x = torch.randn(200, 3)
y = (x[:, :1] * x[:, 1:2] > 0).float()
for step in range(20):
    loss = nn.functional.binary_cross_entropy_with_logits(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
