import numpy as np
import torch

x, y = torch.randn(100, 4), torch.randint(0, 2, (100,))
order = torch.randperm(len(x))
x = x[order]
y = y[order]
np.random.seed(0)
a = x[np.random.permutation(10)]
real, fake = torch.randn(10, 2), torch.randn(10, 2)
real = real[torch.randperm(10)]
fake = fake[torch.randperm(10)]
torch.manual_seed(3)
images = torch.zeros(10, 3)
images = images[torch.randperm(10)]
torch.manual_seed(3)
labels = torch.zeros(10)
labels = labels[torch.randperm(10)]
