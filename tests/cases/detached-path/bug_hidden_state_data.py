"""The recurrent state goes on as .data inside the loop, so only the last step's cell would train; the embedding of
the prompt, which only enters through the state, gets nothing."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Captioner(nn.Module):
    def __init__(self, vocab=20, dim=16):
        super().__init__()
        self.image = nn.Linear(10, dim)
        self.embed = nn.Embedding(vocab, dim)
        self.cell = nn.GRUCell(dim, dim)
        self.out = nn.Linear(dim, vocab)

    def forward(self, image, tokens):
        h = torch.tanh(self.image(image))
        logits = []
        for t in range(tokens.shape[1]):
            h = h.data  # <- cause
            h = self.cell(self.embed(tokens[:, t]), h)
            logits.append(self.out(h))
        return torch.stack(logits, 1)


model = Captioner()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
image, tokens = torch.randn(8, 10), torch.randint(0, 20, (8, 6))
for step in range(20):
    opt.zero_grad()
    logits = model(image, tokens[:, :-1])
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
    loss.backward()
    opt.step()
