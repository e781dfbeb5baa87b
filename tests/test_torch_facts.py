"""What whygrad relies on in torch, fact by fact. If a new release breaks one, its name says which."""

from __future__ import annotations

import copy
import os
import sys
import threading
import warnings
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("torch")

import numpy as np
import torch
from torch import nn
from torch.nn.modules import module as registration
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook
from torch.overrides import TorchFunctionMode


class Hears(TorchFunctionMode):
    """Notes the names of all that passes, and the frame that it came from."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.lines: list[str] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", str(func))
        if name in ("__get__", "__set__"):
            name = f"{func.__self__.__name__}.{name}"
        self.names.append(name)
        self.lines.append(sys._getframe(1).f_code.co_name)
        return func(*args, **(kwargs or {}))


@pytest.fixture
def mode() -> Iterator[Hears]:
    with Hears() as hears:
        yield hears


@pytest.fixture
def layer() -> nn.Linear:
    torch.manual_seed(0)
    return nn.Linear(3, 1)


def loss_of(layer: nn.Module) -> torch.Tensor:
    loss: torch.Tensor = layer(torch.ones(4, 3)).square().mean()
    return loss


# -- what a function mode sees -----------------------------------------------------------------------


def test_a_mode_sees_attributes_read_and_set(layer: nn.Linear, mode: Hears) -> None:
    layer.weight.data  # noqa: B018
    layer.weight.data = torch.zeros(1, 3)
    layer.weight.grad  # noqa: B018
    layer.weight.grad = None
    layer.weight.requires_grad = False
    assert {"data.__get__", "data.__set__", "grad.__get__", "grad.__set__", "requires_grad.__set__"} <= set(
        mode.names
    )


def test_a_mode_sees_values_leave(mode: Hears) -> None:
    x = torch.ones(1)
    x.item(), x.tolist(), x.numpy(), np.asarray(x), float(x), int(x), bool(x)
    assert {"item", "tolist", "numpy", "__array__", "__float__", "__int__", "__bool__"} <= set(mode.names)


def test_a_mode_sees_tensors_made_from_data_except_by_constructors_and_from_numpy(mode: Hears) -> None:
    torch.tensor([1.0])
    torch.as_tensor([1.0])
    assert mode.names == ["tensor", "as_tensor"]
    torch.Tensor([1.0])
    torch.FloatTensor([1.0])
    nn.Parameter(torch.Tensor(2))
    torch.from_numpy(np.ones(2))
    assert not {"Tensor", "FloatTensor", "from_numpy"} & set(mode.names)


def test_a_mode_sees_autograd_called(layer: nn.Linear, mode: Hears) -> None:
    loss_of(layer).backward()
    torch.autograd.backward(loss_of(layer))
    torch.autograd.grad(loss_of(layer), layer.weight)
    # torch 2.6 does not hand torch.autograd.backward to modes, and its code tells
    both = "handle_torch_function" in torch.autograd.backward.__code__.co_names
    assert mode.names.count("backward") == 1 + both
    assert mode.names.count("grad") == 1


def test_a_mode_sees_nothing_within_backward(layer: nn.Linear, mode: Hears) -> None:
    loss = loss_of(layer)
    layer.weight.register_hook(torch.exp)
    loss.backward()
    assert "exp" not in mode.names


def test_a_mode_sees_the_operations_of_a_step(layer: nn.Linear, mode: Hears) -> None:
    loss_of(layer).backward()
    optimizer = torch.optim.AdamW(layer.parameters(), foreach=False)
    before = len(mode.names)
    optimizer.step()
    assert len(mode.names) - before > 20


def test_a_mode_sees_grad_mode_switched_from_the_users_frames(mode: Hears) -> None:
    @torch.no_grad()
    def decorated() -> None:
        pass

    with torch.no_grad():
        pass
    decorated()
    torch.set_grad_enabled(True)
    assert mode.names.count("_set_grad_enabled") == 5


def test_a_mode_does_not_see_inference_mode_but_its_results_tell(mode: Hears) -> None:
    with torch.inference_mode():
        made = torch.ones(1) * 2
    assert "_set_grad_enabled" not in mode.names
    assert made.is_inference()


def test_a_decorated_function_is_in_the_frame_of_torchs_wrapper() -> None:
    @torch.no_grad()
    def decorated() -> Any:
        frame = sys._getframe(1)
        return frame.f_code.co_name, frame.f_locals["func"].__name__, frame.f_code.co_filename

    name, function, file = decorated()
    assert (name, function) == ("decorate_context", "decorated")
    assert file.endswith("_contextlib.py")


def test_a_mode_sees_into_custom_functions_but_not_the_call(mode: Hears) -> None:
    inside: list[bool] = []

    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            inside.append(torch.is_grad_enabled())
            made = x * 2
            inside.append(made.requires_grad)
            return made

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            return grad * 2

    out = Double.apply(torch.ones(1, requires_grad=True))
    assert inside == [False, False]
    assert type(out.grad_fn).__name__ == "DoubleBackward"
    assert "mul" in mode.names
    assert "apply" not in mode.names


def test_a_mode_belongs_to_its_thread_and_a_profiler_reaches_new_ones(mode: Hears) -> None:
    moments: list[str] = []

    def first(frame: Any, event: str, arg: Any) -> None:
        moments.append(f"{event} {frame.f_code.co_name}")
        sys.setprofile(None)

    before = threading.getprofile()
    threading.setprofile(first)
    thread = threading.Thread(target=lambda: torch.exp(torch.ones(1)))
    thread.start()
    thread.join()
    threading.setprofile(before)  # type: ignore[arg-type]
    assert "exp" not in mode.names
    assert len(moments) == 1


def test_a_forked_child_inherits_the_mode(mode: Hears) -> None:
    child = os.fork()
    if child == 0:
        os._exit(torch._C._len_torch_function_stack())
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1


def test_compiled_code_passes_a_mode_by_unless_compilation_is_off(mode: Hears) -> None:
    @torch.compile(backend="eager")
    def function(x: torch.Tensor) -> torch.Tensor:
        return torch.exp(x)

    stance = torch.compiler.set_stance("force_eager")
    function(torch.ones(1))
    assert "exp" in mode.names
    stance.__exit__(None, None, None)
    assert torch._dynamo.eval_frame._stance.stance == "default"  # type: ignore[attr-defined]


def test_silence_reaches_modes_and_subclasses(mode: Hears) -> None:
    with torch._C.DisableTorchFunction():
        torch.exp(torch.ones(1))
    assert mode.names == []


def test_an_active_mode_turns_off_the_fast_path_of_attention(mode: Hears) -> None:
    """And the modules look the question up where it can be answered otherwise."""
    assert torch.overrides.has_torch_function((torch.ones(1),))
    mode.__exit__(None, None, None)
    assert not torch.overrides.has_torch_function((torch.ones(1),))
    mode.__enter__()
    asked: list[Any] = []
    original = torch.overrides.has_torch_function
    layer = nn.TransformerEncoderLayer(4, 2, 4, batch_first=True).eval()
    try:
        torch.overrides.has_torch_function = lambda args: bool(asked.append(args))  # type: ignore[assignment,func-returns-value]
        with torch.no_grad():
            layer(torch.ones(1, 2, 4))
    finally:
        torch.overrides.has_torch_function = original
    assert asked
    assert "_transformer_encoder_layer_fwd" in mode.names


# -- constructors and registration -------------------------------------------------------------------


def test_tensor_has_no_init_of_its_own_and_a_replaced_one_sees_constructors() -> None:
    assert torch.Tensor.__init__ is object.__init__
    made: list[str] = []

    def init(self: torch.Tensor, *args: Any, **kwargs: Any) -> None:
        made.append(type(self).__name__)

    torch.Tensor.__init__ = init  # type: ignore[assignment]
    try:
        torch.Tensor([1.0])
        nn.Parameter(torch.ones(1))
        torch.ones(1) + 1
        copy.deepcopy(nn.Parameter(torch.ones(1)))
    finally:
        del torch.Tensor.__init__
    assert made.count("Tensor") == 1
    assert made.count("Parameter") == 3
    assert torch.Tensor.__init__ is object.__init__


def test_modules_tell_what_is_registered() -> None:
    names: list[str] = []
    handles = [
        registration.register_module_parameter_registration_hook(lambda m, n, p: names.append(n)),
        registration.register_module_buffer_registration_hook(lambda m, n, b: names.append(n)),
        registration.register_module_module_registration_hook(lambda m, n, c: names.append(n)),
    ]
    nn.Sequential(nn.BatchNorm1d(2))
    for handle in handles:
        handle.remove()
    assert names == ["weight", "bias", "running_mean", "running_var", "num_batches_tracked", "0"]


def test_modules_have_no_requires_grad() -> None:
    layer = nn.Linear(2, 2)
    layer.requires_grad = False  # type: ignore[assignment]
    assert layer.weight.requires_grad
    assert "requires_grad" not in dir(nn.Module)


# -- autograd's graph --------------------------------------------------------------------------------


def test_sequence_numbers_bracket_the_node_of_a_call() -> None:
    x = torch.ones(2, requires_grad=True)
    before = torch._C._autograd._get_sequence_nr()
    y = (x * 2).exp()
    after = torch._C._autograd._get_sequence_nr()
    assert y.grad_fn is not None
    numbers = [y.grad_fn._sequence_nr(), y.grad_fn.next_functions[0][0]._sequence_nr()]
    assert all(before <= n < after for n in numbers)
    assert numbers[0] > numbers[1]


def test_sequence_numbers_are_counted_by_thread() -> None:
    torch.ones(2, requires_grad=True) * 2
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(torch._C._autograd._get_sequence_nr()))
    thread.start()
    thread.join()
    assert found == [0]


def test_the_graph_ends_in_nodes_that_have_the_variable(layer: nn.Linear) -> None:
    nodes = [loss_of(layer).grad_fn]
    for node in nodes:
        assert node is not None
        nodes += [child for child, _ in node.next_functions if child is not None]
    leaves = [n for n in nodes if n is not None and not n.next_functions]
    assert all(n.name() == "torch::autograd::AccumulateGrad" for n in leaves)
    assert {id(n.variable) for n in leaves} == {id(layer.weight), id(layer.bias)}  # type: ignore[attr-defined]


def test_hooks_of_nodes_see_each_gradient_and_can_be_taken_off(layer: nn.Linear) -> None:
    loss = loss_of(layer)
    assert loss.grad_fn is not None
    leaf = next(
        child
        for node in _nodes(loss)
        for child, _ in node.next_functions
        if getattr(child, "variable", None) is layer.bias
    )
    seen: list[str] = []
    handles = [
        loss.grad_fn.register_hook(lambda gin, gout: seen.append(f"post {len(gin)} {gout[0].item()}")),
        leaf.register_prehook(lambda gout: seen.append(f"leaf {tuple(gout[0].shape)}")),
    ]
    loss.backward(retain_graph=True)
    assert seen == ["post 1 1.0", "leaf (1,)"]
    for handle in handles:
        handle.remove()
    loss.backward()
    assert len(seen) == 2


def _nodes(loss: torch.Tensor) -> list[Any]:
    found: list[Any] = [loss.grad_fn]
    for node in found:
        found += [child for child, _ in node.next_functions if child is not None]
    return found


def test_a_tensor_keeps_its_python_object_while_autograd_holds_it() -> None:
    made = torch.ones(2, requires_grad=True).exp()
    number, ref = id(made), weakref.ref(made)
    result = made * made
    del made
    assert ref() is not None
    assert result.grad_fn is not None
    assert id(result.grad_fn._saved_self) == number  # type: ignore[attr-defined]
    del result
    assert ref() is None


def test_views_and_aliases_share_the_address_of_the_storage(layer: nn.Linear) -> None:
    w = layer.weight
    pointers = {x.untyped_storage().data_ptr() for x in (w, w.data, w.detach(), w[0], w.t(), w.view(-1)[1:])}
    assert len(pointers) == 1


def test_writing_in_place_returns_the_same_object() -> None:
    x = torch.ones(2)
    assert x.add_(1) is x
    assert x.zero_() is x


def test_transforms_and_tracers_can_be_told() -> None:
    inside: list[bool] = []

    def f(x: torch.Tensor) -> torch.Tensor:
        inside.append(torch._C._functorch.peek_interpreter_stack() is not None)
        inside.append(torch._C._get_tracing_state() is not None)
        return x * 2

    torch.func.vmap(f)(torch.ones(2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.jit.trace(f, torch.ones(2), check_trace=False)
    f(torch.ones(2))
    assert inside == [True, False, False, True, False, False]


# -- optimizers --------------------------------------------------------------------------------------


class Bare(torch.optim.Optimizer):
    """Never calls ``super().__init__``."""

    def __init__(self, params: Any) -> None:
        self.param_groups = [{"params": list(params)}]

    def step(self, closure: Any = None) -> None:
        pass


def test_global_step_hooks_get_optimizer_and_closure(layer: nn.Linear) -> None:
    seen: list[Any] = []
    handles = [
        register_optimizer_step_pre_hook(lambda o, args, kwargs: seen.append(("before", o, args, kwargs))),
        register_optimizer_step_post_hook(lambda o, args, kwargs: seen.append(("after", o))),
    ]
    optimizer = torch.optim.Adam(layer.parameters())
    try:
        closure = lambda: loss_of(layer)  # noqa: E731
        optimizer.step(closure)
        Bare(layer.parameters()).step()
        with pytest.raises(ZeroDivisionError):
            optimizer.step(lambda: 1 / 0)
    finally:
        for handle in handles:
            handle.remove()
    assert seen[0] == ("before", optimizer, (optimizer, closure), {})
    assert [s[0] for s in seen] == ["before", "after", "before"]


def test_an_empty_iterator_is_refused_except_within_a_group(layer: nn.Linear) -> None:
    used = iter(layer.parameters())
    list(used)
    with pytest.raises(ValueError, match="empty parameter list"):
        torch.optim.SGD(used, lr=0.1)
    assert torch.optim.SGD([{"params": used}], lr=0.1).param_groups[0]["params"] == []


def test_copies_of_model_and_optimizer_stay_linked_only_if_made_together(layer: nn.Linear) -> None:
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    both, held = copy.deepcopy((layer, optimizer))
    assert held.param_groups[0]["params"][0] is both.weight
    assert copy.deepcopy(optimizer).param_groups[0]["params"][0] is not copy.deepcopy(layer).weight


def test_adamw_moves_a_parameter_whose_gradient_is_zero() -> None:
    p = nn.Parameter(torch.ones(2))
    p.grad = torch.zeros(2)
    torch.optim.AdamW([p], lr=0.1).step()
    assert p[0].item() == pytest.approx(0.999)


def test_weights_in_bfloat16_can_stay_under_a_gradient() -> None:
    p = nn.Parameter(torch.ones(1, dtype=torch.bfloat16))
    p.grad = torch.ones_like(p)
    torch.optim.SGD([p], lr=1e-4).step()
    assert p.item() == 1.0


def test_clipping_before_unscaling_freezes_sgd_and_not_adam() -> None:
    moved = {}
    for kind in (torch.optim.SGD, torch.optim.Adam):
        p = nn.Parameter(torch.ones(1))
        optimizer = kind([p], lr=0.01)
        scaler = torch.amp.GradScaler("cpu", init_scale=2.0**16)
        scaler.scale(p.square().sum()).backward()
        nn.utils.clip_grad_norm_([p], 1.0)
        scaler.step(optimizer)
        moved[kind.__name__] = abs(p.item() - 1)
    assert moved["SGD"] < 1e-6
    assert moved["Adam"] > 1e-3


# -- what breaks a chain, and what does not ----------------------------------------------------------


def test_zeroing_through_detach_leaves_a_trainable_leaf(layer: nn.Linear) -> None:
    layer.weight.detach().zero_()
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    loss_of(layer).backward()
    optimizer.step()
    assert layer.weight.is_leaf
    assert layer.weight.requires_grad
    assert layer.weight.abs().sum() > 0


def test_rounding_gives_zero_and_comparing_gives_nothing() -> None:
    x = torch.ones(2, requires_grad=True)
    torch.round(x * 1.2).sum().backward()
    assert x.grad is not None
    assert x.grad.abs().sum() == 0
    assert not (x > 0).requires_grad
    assert not x.argmax().requires_grad


def test_the_log_probability_of_an_rsample_knows_nothing_of_the_mean() -> None:
    mean = torch.zeros(8, requires_grad=True)
    choice = torch.distributions.Normal(mean, 1.0)
    choice.log_prob(choice.rsample()).sum().backward()
    assert mean.grad is not None
    assert mean.grad.abs().max() == 0


def test_wrapping_a_loss_again_cuts_it_and_requiring_its_gradient_does_not(layer: nn.Linear) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.tensor(loss_of(layer), requires_grad=True).backward()
    assert layer.weight.grad is None
    loss_of(layer).requires_grad_().backward()
    assert layer.weight.grad is not None


def test_moving_a_parameter_to_where_it_is_returns_it(layer: nn.Linear) -> None:
    assert layer.weight.to("cpu") is layer.weight
    assert not layer.weight.to(torch.float64).is_leaf


def test_no_grad_around_a_yield_leaks_and_a_decorated_generator_does_not() -> None:
    def leaks() -> Iterator[int]:
        with torch.no_grad():
            yield 1

    @torch.no_grad()
    def holds() -> Iterator[int]:
        yield 1

    for _ in holds():
        assert torch.is_grad_enabled()
    generator = leaks()
    next(generator)
    assert not torch.is_grad_enabled()
    generator.close()
    assert torch.is_grad_enabled()


def test_asking_for_a_gradient_that_cannot_be_warns() -> None:
    made = torch.ones(1, requires_grad=True) * 2
    with pytest.warns(UserWarning, match="not a leaf"):
        made.grad  # noqa: B018
    assert not made.retains_grad


# -- warnings ----------------------------------------------------------------------------------------


def test_warnings_of_python_and_of_c_come_to_one_function(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[int] = []
    monkeypatch.setattr(warnings, "_showwarnmsg", lambda message: shown.append(message.lineno))
    monkeypatch.setitem(globals(), "__warningregistry__", None)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        for _ in range(2):
            warnings.warn("from Python", stacklevel=1)
            torch.tensor(torch.ones(1))
    assert len(shown) == 4, "without a registry nothing counts as a repetition"
