import contextlib, torch, torch.nn as nn
torch.manual_seed(0)
class Runner:
    def __init__(self, freeze):
        self.stack = contextlib.ExitStack()
        self.body = nn.Linear(4, 8); self.head = nn.Linear(8, 2)
        self.freeze = freeze
        self.opt = torch.optim.SGD([*self.body.parameters(), *self.head.parameters()], 0.1)
    def features(self, x):
        with contextlib.ExitStack() as stack:
            if self.freeze is not None:
                stack.enter_context(torch.no_grad())  # <- cause
            return torch.relu(self.body(x))  # <- cause
    def step(self, x, y):
        loss = nn.functional.cross_entropy(self.head(self.features(x)), y)
        self.opt.zero_grad(); loss.backward(); self.opt.step()
r = Runner(freeze=False)
for i in range(12): r.step(torch.randn(8, 4), torch.randint(0, 2, (8,)))
