import copy, torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(0)
q = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 8)); k = copy.deepcopy(q)
for p in k.parameters(): p.requires_grad = False
queue = F.normalize(torch.randn(8, 32), dim=0); ptr = 0
opt = torch.optim.SGD(q.parameters(), 0.05, momentum=0.9, weight_decay=1e-4)
for i in range(14):
    x = torch.randn(8, 6); a, b = x + .1 * torch.randn_like(x), x + .1 * torch.randn_like(x)
    zq = F.normalize(q(a), dim=1)
    with torch.no_grad():
        for pq, pk in zip(q.parameters(), k.parameters()): pk.data = pk.data * 0.99 + pq.data * 0.01
        zk = F.normalize(k(b), dim=1)
    logits = torch.cat([(zq * zk).sum(1, keepdim=True), zq @ queue.clone().detach()], 1) / 0.2
    loss = F.cross_entropy(logits, torch.zeros(8, dtype=torch.long))
    opt.zero_grad(); loss.backward(); opt.step()
    queue[:, ptr:ptr + 8] = zk.T; ptr = (ptr + 8) % 32
