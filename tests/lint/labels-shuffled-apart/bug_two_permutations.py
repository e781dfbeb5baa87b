import numpy as np
import torch

x, y = torch.randn(100, 4), torch.randint(0, 2, (100,))
x = x[torch.randperm(len(x))]
y = y[torch.randperm(len(y))]  # <- cause
images, labels = np.zeros((10, 3)), np.zeros(10)
images = images[np.random.permutation(10)]
labels = labels[np.random.permutation(10)]  # <- cause
