"""Objects that print whenever anybody touches them, in variables, in modules and in optimizers' groups."""

import torch
from torch import nn


def say(*words):
    print("touched:", *words)


class Shy:
    """Says so whenever one of its special methods or properties is used."""

    def __getattr__(self, name):
        say("getattr", name)
        raise AttributeError(name)

    @property
    def __class__(self):
        say("class")
        return Shy

    def __repr__(self):
        say("repr")
        return "Shy()"

    def __eq__(self, other):
        say("eq")
        return self is other

    def __hash__(self):
        return 1

    def __bool__(self):
        say("bool")
        return True

    def __len__(self):
        say("len")
        return 1

    def __iter__(self):
        say("iter")
        return iter([self])

    @property
    def parameters(self):
        say("parameters")


class ShyList(list):
    def __getitem__(self, index):
        say("getitem", index)
        return super().__getitem__(index)

    def __iter__(self):
        say("iterated")
        return super().__iter__()

    def __len__(self):
        say("length")
        return super().__len__()


class ShyDict(dict):
    def items(self):
        say("items")
        return super().items()

    def values(self):
        say("values")
        return super().values()

    def __getitem__(self, key):
        say("item", key)
        return super().__getitem__(key)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 1)
        self.shy, self.list, self.dict = Shy(), ShyList([1, Shy()]), ShyDict(a=Shy())
        self.keyed = {Shy(): 1}

    def forward(self, x, aside=None):
        return self.linear(x)

    @property
    def loud(self):
        say("property of the model")
        return 1

    def parameters(self, recurse=True):
        say("parameters of the model")
        return super().parameters(recurse)


def train(model, optimizer):
    mine, items, table, keyed = Shy(), ShyList([Shy(), 2]), ShyDict(b=1), {Shy(): 2}
    for _ in range(5):
        x = torch.randn(8, 4)
        loss = (model(x, aside=mine) - x.sum(1, keepdim=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        model.zero_grad()
        print(loss.item())
    return mine is None, items is None, table is None, keyed is None


torch.manual_seed(1)
shy, shy_list, shy_dict, shy_keys = Shy(), ShyList([1, 2, 3]), ShyDict(c=3), {Shy(): 3, (Shy(), 1): 4}
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
optimizer.param_groups[0]["note"] = shy
print(train(model, optimizer))
del shy, shy_list, shy_dict, shy_keys, model.shy, model.list, model.dict, model.keyed
