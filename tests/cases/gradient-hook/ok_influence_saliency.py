import torch, torch.nn as nn
torch.manual_seed(0)
m = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 2)); opt = torch.optim.Adam(m.parameters(), 1e-3); store = {}
m[0].register_forward_hook(lambda mod, i, o: store.update(act=o.detach())); m[0].register_full_backward_hook(lambda mod, gi, go: store.update(grad=go[0].detach()))
for i in range(12):
    x = torch.rand(4, 1, 8, 8).requires_grad_(); out = m(x); adv = torch.autograd.grad(out.sum(), x, retain_graph=True)[0].sign() * .01
    loss = nn.functional.cross_entropy(m(x.detach() + adv), torch.randint(0, 2, (4,))); opt.zero_grad(); loss.backward(); opt.step(); store["act"].mean().item()
