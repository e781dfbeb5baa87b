"""What torch does with states of modules and with schedulers, as the rules on them rely on."""

import copy

import torch
from torch import nn


def test_a_state_shares_memory_and_shallow_copies_do_too() -> None:
    model = nn.Linear(2, 2)
    state = model.state_dict()
    for one in (state, dict(state), copy.copy(state), {k: v.detach().cpu() for k, v in state.items()}):
        assert one["weight"].data_ptr() == model.weight.data_ptr()
    assert copy.deepcopy(state)["weight"].data_ptr() != model.weight.data_ptr()


def test_a_plateau_waits_for_smaller_numbers_by_default() -> None:
    optimizer = torch.optim.SGD(nn.Linear(2, 2).parameters(), lr=1.0)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.1, patience=1)
    for accuracy in (0.1, 0.3, 0.5, 0.7):
        scheduler.step(accuracy)
    assert optimizer.param_groups[0]["lr"] < 0.5


def test_a_repeated_list_holds_one_module() -> None:
    layers = nn.ModuleList([nn.Linear(2, 2)] * 3)
    assert len(list(layers.parameters())) == 2
    assert layers[0] is layers[2]


def test_a_scheduler_steps_once_in_its_constructor_and_a_new_one_starts_again() -> None:
    optimizer = torch.optim.SGD(nn.Linear(2, 2).parameters(), lr=1.0)
    seen = []
    for _ in range(2):
        scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: (n + 1) / 10)
        seen.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    assert seen == [0.1, 0.1]
