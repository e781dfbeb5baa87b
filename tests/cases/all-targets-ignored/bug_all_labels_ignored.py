import torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(0)
m = nn.Sequential(nn.Embedding(20, 8), nn.Linear(8, 20)); opt = torch.optim.AdamW(m.parameters(), 1e-2)
def collate(n=4, length=7, prompt=7):
    ids = torch.randint(0, 20, (n, length)); labels = ids.clone()
    labels[:, :prompt] = -100  # <- cause
    return ids, labels
for i in range(12):
    ids, labels = collate()
    loss = F.cross_entropy(m(ids).flatten(0, 1), labels.flatten(), ignore_index=-100, reduction="sum")  # <- cause
    opt.zero_grad(); loss.backward(); opt.step()
