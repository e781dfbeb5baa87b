import torch, torch.nn as nn
torch.manual_seed(0)
class Embedder(nn.Module):
    def __init__(s): super().__init__(); s.net = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
    @torch.inference_mode()  # <- cause
    def forward(s, x): return s.net(x)  # <- cause
e, h = Embedder(), nn.Linear(8, 2)
opt = torch.optim.SGD([*e.parameters(), *h.parameters()], 0.1)
for i in range(12):
    loss = nn.functional.cross_entropy(h(e(torch.randn(8, 4)).clone()), torch.randint(0, 2, (8,)))
    opt.zero_grad(); loss.backward(); opt.step()
