"""The static half of ``whygrad.rules.no_grad_path``, which has the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint import kinds
from whygrad.lint.dead_ends import never_enabled
from whygrad.lint.hits import Hit
from whygrad.lint.left_off import left_off
from whygrad.lint.module import Module
from whygrad.lint.switched_off import handed_over


def check(module: Module) -> Iterator[Hit]:
    """A loss computed with gradients switched off; trained modules that only run so; a switch that is left off."""
    told: set[ast.AST] = set()
    for hit in (*_losses(module), *_modules(module), *_closures(module), *_switches(module)):
        if hit.node not in told:
            told.add(hit.node)
            yield hit


def _losses(module: Module) -> Iterator[Hit]:
    """A loss that goes backward, all of which was computed with gradients switched off."""
    for loss in module.losses():
        if not module.without_history(loss.node):
            continue
        for value in module.upstream(loss.node):
            if value.module is not module or not isinstance(value.node, ast.Call):
                continue
            off = module.grad_disabled(value.node)
            if off is None or not module.would_have_history(value.node):
                continue
            name = module.source.segment(off)
            yield Hit(
                off,
                f"the loss is computed under {name}, so that no parameter gets a gradient",
                f"Compute the loss outside of {name}; keep that for evaluation.",
                link=5,
                role="cut",
                also=((value.node, "computed"), (loss.call, "backward")),
            )


def _modules(module: Module) -> Iterator[Hit]:
    """Modules that an optimizer holds, and that never run with gradients switched on."""
    for end in (*never_enabled(module), *handed_over(module)):
        name = module.source.segment(end.cut)
        yield Hit(
            end.cut,
            f"{end.name} is in the optimizer, and runs under {name} only: it gets no gradient",
            f"Take {name} away here, or {end.name}'s parameters out of the optimizer if they are not to train.",
            severity="warning",
            link=5,
            role="cut",
            also=((end.call, "computed"),),
        )
    for info in module.module_classes():
        forward = info.methods.get("forward")
        off = module.grad_disabled(forward.body[0]) if forward is not None else None
        if forward is None or off is None or not _trains(module, info.node):
            continue
        name = module.source.segment(off)
        yield Hit(
            off,
            f"the optimizer holds the parameters of {info.name}, whose forward runs under {name}: they get no gradient",
            f"Take {name} away from forward; the caller decides when gradients are not needed.",
            severity="warning",
            link=5,
            role="cut",
        )


def _trains(module: Module, node: ast.ClassDef) -> bool:
    """Whether objects of a class are held by an optimizer of the file and used for a loss, and nothing is frozen there."""
    if node not in module.held_classes or "requires_grad" in module.source.text:
        return False
    called = (module.instance(call.func) for call in module.calls() if call in module.in_losses)
    return any(
        instance is not None and instance.info is not None and instance.info.node is node
        for instance in called
    )


def _closures(module: Module) -> Iterator[Hit]:
    """An optimizer of the user's own whose step() runs the closure with gradients switched off."""
    for info in module.classes.values():
        step = info.methods.get("step")
        bases = [base for base, _ in kinds.bases(module, info)]
        if step is None or "torch.optim.Optimizer" not in bases:
            continue
        for call in module.body_nodes(step):
            if (
                not isinstance(call, ast.Call)
                or not isinstance(call.func, ast.Name)
                or call.func.id != "closure"
            ):
                continue
            off = module.grad_disabled(call)
            given = module.definitions(call.func) or ()
            if off is not None and given and all(found.how == "parameter" for found in given):
                name = module.source.segment(off)
                yield Hit(
                    call,
                    f"closure() computes the loss and calls backward, and here it runs under {name}",
                    "Run it under `with torch.enable_grad():`, as torch's own optimizers do.",
                    link=5,
                    role="cut",
                    also=((off, "cut"),),
                )


def _switches(module: Module) -> Iterator[Hit]:
    """set_grad_enabled(False) as a statement, with a backward to come and nothing that switches it on again."""
    for call, backward in left_off(module):
        yield Hit(
            call,
            "gradients are switched off here and stay off for the training that follows",
            "Write `with torch.no_grad():` around the code that needs no gradients; it ends by itself, also after an error.",
            severity="warning",
            link=5,
            role="cut",
            also=((backward, "backward"),),
        )
