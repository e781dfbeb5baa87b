"""Frames are encoded one by one, [batch * time, ...], and put back; one sequence at a time becomes [time, 1, features]."""

import torch
from torch import nn

torch.manual_seed(0)


class Video(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, stride=2)
        self.mix = nn.Linear(4, 4)
        self.rnn = nn.LSTM(4, 8)
        self.head = nn.Linear(8, 1)

    def forward(self, clips):
        b, t = clips.shape[:2]
        y = self.conv(clips.view(b * t, 1, 6, 6)).flatten(2)  # [b * t, 4, 4]
        tokens = self.mix(y.transpose(1, 2).reshape(b, t * 4, 4))  # all tokens of a clip
        y = tokens.view(b * t, 4, 4).mean(1).view(b, t, 4)
        last = []
        for clip in y:
            out, _ = self.rnn(clip.view(len(clip), 1, -1))
            last.append(out[-1, 0])
        return self.head(torch.stack(last))


model = Video()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(6):
    clips = torch.rand(4, 4, 6, 6)
    loss = nn.functional.mse_loss(model(clips), clips.mean((1, 2, 3)).unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
