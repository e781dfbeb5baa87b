import torch, torch.nn as nn
torch.manual_seed(0)
class Extractor(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 4))
        self.store = {}
        self.net[2].register_forward_hook(self.save("mid"))
    def save(self, name):
        def hook(module, inputs, output):
            self.store[name] = output.detach()  # <- cause
        return hook
    def forward(self, x):
        self.net(x)
        return self.store["mid"]
class Probe(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = Extractor(); self.head = nn.Linear(16, 2)
    def forward(self, x): return self.head(self.ext(x))
m = Probe(); opt = torch.optim.SGD(m.parameters(), 0.1)
for i in range(12):
    loss = nn.functional.cross_entropy(m(torch.randn(8, 5)), torch.randint(0, 2, (8,)))
    opt.zero_grad(); loss.backward(); opt.step()
