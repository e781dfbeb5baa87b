"""Predicted coordinates are cast to integers to cut a glimpse."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Glimpse(nn.Module):
    def __init__(self):
        super().__init__()
        self.where = nn.Linear(64, 2)
        self.what = nn.Linear(9, 4)

    def forward(self, image):
        corner = torch.sigmoid(self.where(image.flatten(1))) * 5
        corner = corner.long()  # <- cause
        cuts = [im[r : r + 3, c : c + 3].reshape(-1) for im, (r, c) in zip(image, corner.tolist())]
        weight = corner.float().mean(1, keepdim=True)
        return self.what(torch.stack(cuts)) * weight


model = Glimpse()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(12):
    image, y = torch.rand(8, 8, 8), torch.randint(0, 4, (8,))
    loss = nn.functional.cross_entropy(model(image), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
