import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self, device, dtype):
        super().__init__()
        self.a = nn.Parameter(torch.zeros(3)).to(device)  # <- cause
        self.b = nn.Parameter(torch.zeros(3), requires_grad=True).cuda()  # <- cause
        self.c = 0.1 * nn.Parameter(torch.zeros(3))  # <- cause
        self.d = nn.Parameter(torch.zeros(3).to(device))
        self.e = (
            nn.Parameter(torch.zeros(3))  # the scale
            .double()  # <- cause
        )
