import torch
import torch.nn as nn

torch.manual_seed(0)


class BiLSTM(nn.Module):
    def __init__(self, emb_matrix, hidden=8, tags=4):
        super().__init__()
        weights = torch.FloatTensor(emb_matrix)
        self.embedding = nn.Embedding.from_pretrained(weights)  # <- cause
        self.lstm = nn.LSTM(weights.shape[1], hidden, bidirectional=True, batch_first=True)
        self.tag = nn.Linear(2 * hidden, tags)

    def forward(self, x):
        return self.tag(self.lstm(self.embedding(x))[0])


matrix = [[(i * j % 7) / 7 for j in range(5)] for i in range(20)]
m = BiLSTM(matrix)
crit = nn.CrossEntropyLoss()
opt = torch.optim.SGD(m.parameters(), lr=0.1)
for _ in range(12):
    x = torch.randint(0, 20, (6, 7))
    loss = crit(m(x).view(-1, 4), (x % 4).view(-1))
    m.zero_grad()
    loss.backward()
    opt.step()
