"""An F1 score, by hand, into the default mode; a train function and an eval function."""
import torch
import torch.nn.functional as F

torch.manual_seed(4)
x = torch.randn(200, 6)
t = ((x @ torch.randn(6)) > 0).float()
model = torch.nn.Sequential(torch.nn.Linear(6, 12), torch.nn.ReLU(), torch.nn.Linear(12, 1))


def train_one_epoch(model, opt):
    model.train()
    for idx in torch.randperm(160).split(16):
        opt.zero_grad()
        F.binary_cross_entropy_with_logits(model(x[idx]).squeeze(1), t[idx]).backward()
        opt.step()


@torch.no_grad()
def evaluate(model):
    model.eval()
    pred = (model(x[160:]).squeeze(1) > 0).float()
    tp = (pred * t[160:]).sum()
    f1 = 2 * tp / (pred.sum() + t[160:].sum() + 1e-8)
    return {"f1": f1.item()}


def main():
    opt = torch.optim.SGD(model.parameters(), lr=0.02)
    sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=0)  # <- cause
    for epoch in range(10):
        train_one_epoch(model, opt)
        result = evaluate(model)
        sched.step(result["f1"])


main()
