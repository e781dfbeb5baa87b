"""A segmentation mask read from an image: 0 and 255 into BCE with logits."""
import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 1))
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(12):
    image = torch.rand(4, 3, 12, 12)
    mask = (image.mean(1, keepdim=True) > 0.5).float() * 255
    optimizer.zero_grad()
    loss = criterion(net(image), mask)  # <- cause
    loss.backward()
    optimizer.step()
