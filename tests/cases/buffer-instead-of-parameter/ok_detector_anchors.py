import torch
import torch.nn as nn

torch.manual_seed(0)


class Head(nn.Module):
    def __init__(self, n=3):
        super().__init__()
        self.register_buffer("anchors", torch.tensor([[1.0, 2.0], [2.0, 1.0], [1.5, 1.5]]))
        gy, gx = torch.meshgrid(torch.arange(4.0), torch.arange(4.0), indexing="ij")
        self.register_buffer("grid", torch.stack([gx, gy], -1).view(1, 1, 4, 4, 2))
        self.conv = nn.Conv2d(8, n * 5, 1)

    def forward(self, x):
        y = self.conv(x).view(len(x), 3, 5, 4, 4).permute(0, 1, 3, 4, 2)
        xy = y[..., :2].sigmoid() + self.grid
        wh = y[..., 2:4].exp() * self.anchors.view(1, 3, 1, 1, 2)
        return xy, wh, y[..., 4]


net = nn.Sequential(nn.Conv2d(1, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.SiLU(), Head())
opt = torch.optim.SGD(net.parameters(), 0.01, momentum=0.937, nesterov=True)
for _ in range(11):
    xy, wh, c = net(torch.randn(4, 1, 8, 8))
    loss = (
        (xy - 2).pow(2).mean()
        + (wh - 1).abs().mean()
        + nn.functional.binary_cross_entropy_with_logits(c, torch.ones_like(c))
    )
    opt.zero_grad()
    loss.backward()
    opt.step()
