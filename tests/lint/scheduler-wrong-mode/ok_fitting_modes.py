import torch
from torch.optim.lr_scheduler import ReduceLROnPlateau, StepLR


def fit(model, train, evaluate, mode):
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    plateau = ReduceLROnPlateau(opt, mode="max")
    other = ReduceLROnPlateau(opt)
    third = ReduceLROnPlateau(opt, mode=mode)
    steps = StepLR(opt, 3)
    for epoch in range(10):
        train(model, opt)
        val_acc, val_loss, metric = evaluate(model)
        plateau.step(val_acc)
        other.step(val_loss)
        third.step(val_acc)
        other.step(metric)
        other.step(1 - val_acc)
        steps.step(epoch)
