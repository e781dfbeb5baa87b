import torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(0)
m = nn.Sequential(nn.Embedding(20, 8), nn.Linear(8, 20)); opt = torch.optim.Adam(m.parameters(), 1e-2)
def lm_loss(logits, labels, prompt_len):
    pos = torch.arange(labels.size(1)).expand_as(labels)
    mask = pos >= labels.size(1) + prompt_len  # <- cause
    ce = F.cross_entropy(logits.transpose(1, 2), labels, reduction="none")
    return ce[mask].sum() / mask.sum().clamp(min=1)  # <- cause
for i in range(12):
    t = torch.randint(0, 20, (4, 9)); loss = lm_loss(m(t[:, :-1]), t[:, 1:], 3); opt.zero_grad(); loss.backward(); opt.step()
