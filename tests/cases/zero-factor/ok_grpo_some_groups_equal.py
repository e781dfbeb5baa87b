import torch, torch.nn as nn
torch.manual_seed(0)
pi = nn.Linear(4, 3); opt = torch.optim.Adam(pi.parameters(), 1e-2)
for i in range(14):
    s = torch.randn(4, 4).repeat_interleave(4, 0); lp = pi(s).log_softmax(1); a = torch.multinomial(lp.detach().exp(), 1)
    r = (a.squeeze(1) == s.argmax(1).clamp(max=2)).float() * (0.0 if i % 3 == 0 else 1.0)
    g = r.view(-1, 4); adv = ((g - g.mean(1, keepdim=True)) / (g.std(1, keepdim=True) + 1e-4)).flatten()
    loss = -(lp.gather(1, a).squeeze(1) * adv).mean(); opt.zero_grad(); loss.backward(); opt.step()
