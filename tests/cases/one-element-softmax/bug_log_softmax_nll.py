"""log_softmax in the module over the last dimension of [N, T, 1]."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class Pointer(nn.Module):
    def __init__(self, dim=12):
        super().__init__()
        self.rnn = nn.GRU(3, dim, batch_first=True)
        self.score = nn.Linear(dim, 1)

    def forward(self, x):
        h, _ = self.rnn(x)
        return F.log_softmax(self.score(h), dim=2).squeeze(2)  # <- cause


model = Pointer()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(12):
    x = torch.randn(8, 9, 3)
    loss = F.nll_loss(model(x), x[..., 0].argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
