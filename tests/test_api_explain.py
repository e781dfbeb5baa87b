"""``whygrad.explain``: the path from a loss to a parameter, on a live graph and within a recording."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("torch")

import torch
import torch.nn.functional as F
from torch import nn

import whygrad


def net() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))


def data() -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(1)
    return torch.randn(8, 3, generator=generator), torch.randn(8, 1, generator=generator)


def test_the_path_ends_in_the_gradient_that_backward_leaves() -> None:
    model, (x, y) = net(), data()
    loss = F.mse_loss(model(x), y)
    path = whygrad.explain(loss, model[0].weight)
    assert path.parameter == "0.weight", "named by the model among the variables"
    assert model[0].weight.grad is None, "nothing was accumulated"
    loss.backward()  # the graph is still there
    assert path.gradient == pytest.approx(float(model[0].weight.grad.norm()), rel=1e-5)
    assert path.loss == pytest.approx(float(loss.detach()))
    names = [s.grad_fn for s in path.stations]
    assert names[0] == "MseLossBackward0"
    assert names[-1] == "AccumulateGrad"
    assert "TanhBackward0" in names
    assert path.routes == 1


def test_norms_are_those_of_the_gradients_of_the_values_between() -> None:
    model, (x, y) = net(), data()
    hidden = model[1](model[0](x))
    loss = F.mse_loss(model[2](hidden), y)
    (expected,) = torch.autograd.grad(loss, hidden, retain_graph=True)
    tanh = next(s for s in whygrad.explain(loss, model[0].weight).stations if s.grad_fn == "TanhBackward0")
    assert tanh.arriving == pytest.approx(float(expected.norm()), rel=1e-5)
    assert tanh.shape == (8, 4)


def test_several_routes_are_counted_and_the_strongest_is_shown() -> None:
    w = torch.ones(3, requires_grad=True)
    loss = (1e-3 * w).sum() + (w * w).sum() + (5 * w.exp()).sum()
    path = whygrad.explain(loss, w)
    assert path.routes == 4  # w * w takes it twice
    assert "ExpBackward0" in [s.grad_fn for s in path.stations]


@pytest.mark.parametrize("kind", [torch.optim.SGD, torch.optim.Adam])
def test_the_update_is_the_one_that_the_step_makes(kind: type[torch.optim.Optimizer]) -> None:
    model, (x, y) = net(), data()
    optimizer = kind(model.parameters(), lr=0.1)
    loss = F.mse_loss(model(x), y)
    path = whygrad.explain(loss, model[0].weight, optimizer)
    before = model[0].weight.detach().clone()
    assert not optimizer.state
    loss.backward()
    optimizer.step()
    assert path.update is not None
    assert path.update.norm == pytest.approx(float((model[0].weight.detach() - before).norm()), rel=1e-4)
    other = torch.optim.SGD(model[2].parameters(), lr=0.1)
    none = whygrad.explain(F.mse_loss(model(x), y), model[0].weight, other).update
    assert none is not None
    assert not none.held


def test_a_cut_has_no_path_and_within_a_recording_its_line() -> None:
    model, (x, y) = net(), data()

    def loss() -> torch.Tensor:
        hidden = model[0](x).detach()  # the cut
        return F.mse_loss(model[2](hidden), y)

    path = whygrad.explain(loss(), model[0].weight)
    assert not path.reached
    assert not path.cuts
    with whygrad.record() as recording:
        value = loss()
        path = whygrad.explain(value, model[0].weight)
        assert [c.code for c in path.cuts] == ["hidden = model[0](x).detach()  # the cut"]
        assert whygrad.explain(value, model[2].weight).stations[0].place is not None
    assert not recording.trace.backwards, "looking is no backward pass"


def test_every_station_has_its_line_within_a_recording() -> None:
    model, (x, y) = net(), data()
    with whygrad.record():
        hidden = torch.tanh(model[0](x))  # here
        path = whygrad.explain(F.mse_loss(model[2](hidden), y), model[0].weight)
    tanh = next(s for s in path.stations if s.grad_fn == "TanhBackward0")
    assert tanh.place is not None
    assert tanh.place.code.endswith("# here")


def test_reasons_why_there_is_no_path() -> None:
    model, (x, y) = net(), data()
    model[0].weight.requires_grad_(False)
    frozen = whygrad.explain(F.mse_loss(model(x), y), model[0].weight)
    assert "frozen" in frozen.reason
    with torch.no_grad():
        nothing = whygrad.explain(F.mse_loss(model(x), y), model[2].weight)
    assert "no grad_fn" in nothing.reason
    assert "0.weight" in str(frozen)


def test_a_graph_that_is_gone_is_told() -> None:
    model, (x, y) = net(), data()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    with pytest.raises(whygrad.UsageError, match="retain_graph"):
        whygrad.explain(loss, model[0].weight)


def test_text_html_and_dict() -> None:
    model, (x, y) = net(), data()
    path = whygrad.explain(F.mse_loss(model(x), y), model[0].weight)
    assert "AccumulateGrad" in str(path)
    assert max(map(len, str(path).splitlines())) <= 100
    assert '<li class="stop">' in path.to_html()
    assert json.loads(json.dumps(path.to_dict()))["stations"][-1]["grad_fn"] == "AccumulateGrad"


def test_a_step_that_needs_a_closure_is_not_tried() -> None:
    model, (x, y) = net(), data()
    path = whygrad.explain(F.mse_loss(model(x), y), model[0].weight, torch.optim.LBFGS(model.parameters()))
    assert path.update is not None
    assert not path.update.tried
    assert "closure" in str(path)


def test_what_is_wrong_with_the_call_is_said() -> None:
    model, (x, y) = net(), data()
    with pytest.raises(whygrad.UsageError, match="not float"):
        whygrad.explain(1.0, model[0].weight)
    with pytest.raises(whygrad.UsageError, match="not list"):
        whygrad.explain(F.mse_loss(model(x), y), list(model.parameters()))
