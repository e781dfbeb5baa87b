"""``whygrad.inspect``: what can be seen of parameters before any step."""

from __future__ import annotations

import json
import warnings
from typing import Any

import pytest

pytest.importorskip("torch")

import torch
from torch import nn

import whygrad


class Hides(nn.Module):
    """Layers where ``nn.Module`` does not look."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = nn.Linear(4, 4)
        self.layers = [nn.Linear(4, 4)]
        self.by_name = {"b": nn.Linear(4, 4)}
        inner = nn.Linear(4, 4)
        self.call = lambda x: inner(x).relu()
        self.scale = nn.Parameter(torch.ones(3)).to(torch.float64)


def problems(seen: whygrad.Inspection, severity: str = "") -> dict[str, tuple[str, ...]]:
    return {p.rule: p.parameters for p in seen.problems if severity in ("", p.severity)}


def test_a_healthy_set_up_has_no_problem() -> None:
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8, 2))
    seen = whygrad.inspect(model, torch.optim.AdamW(model.parameters(), lr=0.01))
    assert not seen.problems
    assert [row.fqn for row in seen.rows] == [n for n, _ in model.named_parameters()]
    row = seen.rows[0]
    assert (row.shape, row.optimizer, row.group, row.lr, row.weight_decay) == (
        (8, 3, 3, 3),
        "AdamW",
        0,
        0.01,
        0.01,
    )
    assert row.initial is not None
    assert row.initial.std == pytest.approx(float(model[0].weight.detach().std(correction=0)), rel=1e-5)


def test_hidden_layers_are_found() -> None:
    found = problems(whygrad.inspect(Hides()), "error")
    hidden = found["unregistered-module"]
    assert {name.split(".")[-1] for name in hidden} == {"weight", "bias"}
    assert len(hidden) == 6
    assert found["unregistered-parameter"] == ("scale",)


def test_optimizers_and_who_holds_what() -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4))
    model[1].weight.requires_grad_(False)
    one = torch.optim.SGD([model[0].weight, model[1].weight], lr=0.1)
    two = torch.optim.Adam([model[0].weight])
    found = problems(whygrad.inspect(model, one, two))
    assert found["parameter-not-in-optimizer"] == ("0.bias", "1.bias", "2.weight", "2.bias")
    assert found["frozen-in-optimizer"] == ("1.weight",)
    assert found["parameter-in-two-optimizers"] == ("0.weight",)
    assert not whygrad.inspect(model).problems, "without an optimizer nothing can be missing from one"


def test_a_replaced_layer_leaves_the_optimizer_with_the_old_one() -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model[1] = nn.Linear(4, 2)
    found = problems(whygrad.inspect(model, optimizer), "error")
    assert found.keys() == {"parameter-not-in-optimizer", "optimizer-holds-stale-parameter"}


def test_values_that_cannot_train() -> None:
    model = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 2))
    nn.init.zeros_(model[2].weight)
    nn.init.zeros_(model[3].weight)
    nn.init.constant_(model[0].weight, 0.1)
    found = problems(whygrad.inspect(model), "warning")
    assert found == {"zero-weights": ("2.weight", "3.weight"), "symmetric-initialisation": ("0.weight",)}


def test_one_zero_layer_and_a_constant_last_layer_are_healthy() -> None:
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    nn.init.zeros_(model[2].weight)
    assert not whygrad.inspect(model).problems


def test_tied_lazy_and_meta_parameters() -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.emb, self.head = nn.Embedding(5, 4), nn.Linear(4, 5, bias=False)
            self.head.weight = self.emb.weight
            self.lazy = nn.LazyLinear(3)
            self.nowhere = nn.Linear(2, 2, device="meta")

    seen = whygrad.inspect(Model())
    rows = {row.fqn: row for row in seen.rows}
    assert rows["emb.weight"].shared == ("head.weight",)
    assert rows["lazy.weight"].lazy
    assert rows["nowhere.weight"].initial is None
    assert problems(seen) == {"uninitialised-parameter": ("lazy.weight", "lazy.bias")}


def test_it_changes_nothing() -> None:
    model = Hides()
    before, random = {k: v.clone() for k, v in model.state_dict().items()}, torch.get_rng_state()
    whygrad.inspect(model)
    assert torch.equal(torch.get_rng_state(), random)
    assert all(torch.equal(v, before[k]) for k, v in model.state_dict().items())


def test_table_html_and_dict() -> None:
    seen = whygrad.inspect(nn.Linear(3, 1))
    assert "weight" in str(seen)
    assert max(map(len, str(seen).splitlines())) <= 100
    assert "<table>" in seen.to_html()
    assert json.loads(json.dumps(seen.to_dict()))["parameters"][0]["shape"] == [1, 3]


def test_hostile_names_are_escaped_in_html() -> None:
    model = nn.Module()
    model.register_parameter("<script>alert(1)</script>", nn.Parameter(torch.ones(1)))
    assert "<script>" not in whygrad.inspect(model).to_html()


def test_a_weight_that_is_computed_anew_from_parameters_is_no_fault() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        model = nn.utils.weight_norm(nn.Linear(3, 3))
    seen = whygrad.inspect(model, torch.optim.SGD(model.parameters(), lr=0.1))
    assert not seen.problems
    assert [row.fqn for row in seen.rows if not row.leaf] == ["weight"]


def test_a_parameter_that_is_not_finite_is_told() -> None:
    model = nn.Linear(3, 3)
    with torch.no_grad():
        model.weight[0, 0] = float("nan")
    assert [(p.rule, p.parameters) for p in whygrad.inspect(model).problems] == [
        ("first-nonfinite", ("weight",))
    ]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda m: whygrad.inspect(3), "not int"),
        (lambda m: whygrad.inspect(m, m.parameters()), "not generator"),
    ],
)
def test_what_is_wrong_with_the_call_is_said(call: Any, words: str) -> None:
    with pytest.raises(whygrad.UsageError, match=words):
        call(nn.Linear(3, 3))
