"""What the rules on freezes, loaded states, wrappers and autocast rely on in torch, tried on the torch that is installed."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

import torch
from torch import nn
from torch.ao.quantization import FakeQuantize, disable_observer
from torch.optim.swa_utils import AveragedModel


def test_train_reaches_parts_that_were_put_into_evaluation_mode() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    model[1].eval()
    model.train()
    assert model[1].training


def test_an_averaged_model_is_the_model_as_it_was_until_it_is_updated() -> None:
    model = nn.Linear(2, 2)
    averaged, before = AveragedModel(model), model.weight.detach().clone()
    with torch.no_grad():
        model.weight.add_(1.0)
    assert int(averaged.n_averaged) == 0
    assert torch.equal(averaged.module.weight, before)
    averaged.update_parameters(model)
    assert torch.equal(averaged.module.weight, model.weight)


def test_an_averaged_model_has_the_statistics_of_its_source() -> None:
    model = nn.BatchNorm1d(2)
    averaged = AveragedModel(model)
    model(torch.randn(8, 2) + 5)
    averaged.update_parameters(model)
    assert torch.equal(averaged.module.running_mean, model.running_mean)


def test_a_spectral_norm_is_worked_out_by_passes_in_training_mode_only() -> None:
    torch.manual_seed(0)
    layer = nn.utils.spectral_norm(nn.Linear(64, 64, bias=False))
    layer.eval()
    layer(torch.randn(2, 64))
    early = float(torch.linalg.matrix_norm(layer.weight, 2))
    layer.train()
    for _ in range(50):
        layer(torch.randn(2, 64))
    assert early > 2
    assert float(torch.linalg.matrix_norm(layer.weight.detach(), 2)) == pytest.approx(1, abs=0.1)


def test_the_newer_spectral_norm_is_worked_out_at_once() -> None:
    torch.manual_seed(0)
    layer = nn.utils.parametrizations.spectral_norm(nn.Linear(64, 64, bias=False)).eval()
    assert float(torch.linalg.matrix_norm(layer.weight.detach(), 2)) == pytest.approx(1, abs=0.2)


def test_a_fake_quantiser_that_has_seen_nothing_rounds_to_whole_numbers() -> None:
    quantise = FakeQuantize()
    quantise.apply(disable_observer)
    assert not torch.isfinite(quantise.activation_post_process.min_val).any()
    assert quantise(torch.tensor([0.4, 1.6])).tolist() == [0.0, 2.0]


def test_assign_tears_tied_weights_apart() -> None:
    def tied() -> nn.ModuleDict:
        model = nn.ModuleDict({"a": nn.Linear(2, 2, bias=False), "b": nn.Linear(2, 2, bias=False)})
        model["b"].weight = model["a"].weight
        return model

    state = {"a.weight": torch.ones(2, 2)}
    kept, torn = tied(), tied()
    kept.load_state_dict(state, strict=False)
    torn.load_state_dict(state, strict=False, assign=True)
    assert kept["a"].weight is kept["b"].weight
    assert torn["a"].weight is not torn["b"].weight


def test_what_autocast_leaves_alone() -> None:
    x, weight = torch.randn(2, 2), torch.randn(2, 2)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert (x @ weight).dtype is torch.bfloat16
        assert (x.float() @ weight.float()).dtype is torch.bfloat16
        assert (x.double() @ weight.double()).dtype is torch.float64
        with torch.autocast("cpu", enabled=False):
            assert (x @ weight).dtype is torch.float32


@pytest.mark.filterwarnings("ignore")
def test_autocast_for_a_device_that_is_not_there_is_switched_off() -> None:
    if torch.cuda.is_available():
        pytest.skip("the device is there")
    with torch.autocast("cuda") as region:
        assert not region._enabled
