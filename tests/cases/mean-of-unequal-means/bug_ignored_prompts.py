"""Fine-tuning: the prompt is ignored, and answers are of very different lengths; the scaled loss has a line of its own."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class LanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.head = nn.Embedding(30, 16), nn.Linear(16, 30)
        self.criterion = nn.CrossEntropyLoss(ignore_index=-100)

    def forward(self, ids, labels):
        logits = self.head(self.embed(ids))
        return self.criterion(logits[:, :-1].reshape(-1, 30), labels[:, 1:].reshape(-1))


def train(model, batches, accumulate):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for i, (ids, labels) in enumerate(batches):
        loss = model(ids, labels)
        loss = loss / accumulate  # <- cause
        loss.backward()
        if i % accumulate == accumulate - 1:
            optimizer.step()
            optimizer.zero_grad()


batches = []
for i in range(40):
    ids = torch.randint(0, 30, (1, 50))
    labels = ids.clone()
    labels[:, : 50 - (45 if i % 3 == 0 else 4)] = -100
    batches.append((ids, labels))
train(LanguageModel(), batches, 3)
