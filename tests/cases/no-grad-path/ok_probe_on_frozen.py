import torch, torch.nn as nn
torch.manual_seed(0)
bb = nn.Sequential(nn.Linear(4, 16), nn.ReLU()); bb.load_state_dict({k: v.clone() for k, v in bb.state_dict().items()})
probe = nn.Linear(16, 2); opt = torch.optim.SGD(probe.parameters(), 0.1)
@torch.no_grad()
def feats(x): bb.eval(); return bb(x)
for i in range(12):
    loss = nn.functional.cross_entropy(probe(feats(torch.randn(8, 4))), torch.randint(0, 2, (8,))); opt.zero_grad(); loss.backward(); opt.step()
