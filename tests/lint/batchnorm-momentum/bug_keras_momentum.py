from torch import nn

a = nn.BatchNorm2d(64, momentum=0.99)  # <- cause
b = nn.BatchNorm1d(  # <- cause
    64,
    1e-3,
    0.997,  # as in TensorFlow
)
