import torch
from torch.optim.lr_scheduler import ReduceLROnPlateau


def fit(model, train, evaluate):
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    plateau = ReduceLROnPlateau(opt, patience=2, mode="max")  # <- cause
    other = ReduceLROnPlateau(opt, "min", patience=2)  # <- cause
    for epoch in range(10):
        train(model, opt)
        val_acc, val_loss = evaluate(model)
        plateau.step(val_acc)
        other.step(val_loss)
