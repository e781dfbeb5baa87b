from torch import nn

a = nn.BatchNorm2d(64, momentum=0.01)  # <- cause
b = nn.BatchNorm1d(  # <- cause
    64,
    1e-3,
    0.003,  # as in TensorFlow
)
