"""The data that come in: batches of DataLoaders, and the tensors that meet a parameter or are given to a loss.

Nothing of their contents is kept: digests tell whether two batches or rows are the same, and in which order the rows of a
whole data set were put before. Everything is looked at during the window, batches (and only they) a while longer.
"""

from __future__ import annotations

from typing import Any

from whygrad import trace as t
from whygrad.observe import digests, shuffles, slices
from whygrad.observe.aliases import Aliases
from whygrad.observe.call import Call
from whygrad.observe.columns import Columns
from whygrad.observe.digests import Look
from whygrad.observe.fed import BY_HAND, INPUTS, LOSSES, REPEATS, Feeds
from whygrad.observe.loading import Loaders
from whygrad.observe.orders import KEEP, SELECT, RowOrders
from whygrad.observe.patching import Patches
from whygrad.observe.quiet import Quiet
from whygrad.observe.watcher import Watcher

_FOLLOW = 200  #: steps for which a script is followed until another class comes
_WRITES = frozenset({
    "zero_", "copy_", "fill_", "__setitem__", "normal_", "uniform_", "random_", "bernoulli_", "add_", "__iadd__", "sub_",
    "__isub__", "mul_", "__imul__", "div_", "__itruediv__", "clamp_", "masked_fill_", "scatter_", "scatter_add_",
    "index_add_", "index_copy_", "index_fill_", "index_put_", "exp_", "sqrt_", "log_", "pow_", "abs_", "tanh_",
    "sigmoid_", "addcmul_", "lerp_", "masked_scatter_", "fill_diagonal_",
})  # fmt: skip


class Watch(Watcher):
    """Keeps looks at batches and at what was fed."""

    names = INPUTS | LOSSES | BY_HAND | REPEATS | {"stack"} | _WRITES | KEEP | SELECT

    def __init__(self, seen: Any) -> None:
        super().__init__(seen)
        self.known, self.columns = digests.Known(), Columns()
        self.orders = RowOrders(self.recorder)
        self.aliases = Aliases(self.recorder, self.known)
        self.loaders = Loaders(self.recorder, self.problems, self.known, self.orders, self.columns)
        self.feeds = Feeds(self.recorder, self.known, self.orders, self.columns)
        self._apart: tuple[t.Apart, ...] | None = None

    def install(self, patches: Patches) -> None:
        """Hear of DataLoaders."""
        self.loaders.install(patches)

    def called(self, call: Call) -> None:
        """An operation has taken something."""
        name = call.function.name
        if call.op >= 0:
            self.feeds.took(call)
            return
        if name in REPEATS:
            self.feeds.repeated(call)
        if name == "stack":
            self.aliases.joined(call)
        if name in _WRITES:
            self.aliases.wrote(call)
        if name in KEEP or name in SELECT:
            with Quiet():
                self.orders.called(call)

    def window_ends(self) -> None:
        """Nothing is looked at any more. What is read from the source now still gets its places into the trace."""
        self.loaders.over = self.feeds.over = True
        self.facts()

    def expects(self) -> int:
        """Batches of a single class, one after the other, out of a sorted data set or not: the next class will tell."""
        stopped = [b for b in self.loaders.batches if b.ordered and b.grad]
        found = self.loaders.column_of
        last = [b for b in stopped if b.loader == stopped[-1].loader and found.get(b.loader, -1) < 0]
        if len(last) < 3:
            return 0
        with Quiet():
            single = _single_class([b.looks(self.known) for b in last[-3:]])
        return _FOLLOW if single else 0

    def facts(self) -> dict[str, Any]:
        """All of it."""
        stacks = self.recorder.stacks
        with Quiet():
            feds = slices.marked(stacks, self.feeds.records())
            if self._apart is None and self.feeds.over:
                self._apart = tuple(shuffles.apart(stacks)) if feds else ()
            data = t.Data(
                loaders=self.loaders.records(),
                batches=tuple([b.record(self.known) for b in self.loaders.batches]),
                aliases=tuple(self.aliases.records()),
                orders=tuple(self.orders.found),
                feds=tuple(feds),
                columns=tuple(self.columns.all),
                apart=self._apart or (),
                dependence=self.feeds.dependence.measured(),
                loader_columns=tuple(sorted(self.loaders.column_of.items())),
            )
        return {"data": data}


def _single_class(batches: list[list[Look]]) -> bool:
    """Whether some column of numbers had a single value in all of several batches, and always the same."""
    for looks in zip(*batches, strict=False):
        values = {value for look in looks for value, _ in look.counts}
        if len(values) == 1 and all(len(look.counts) == 1 and look.counts[0][1] >= 4 for look in looks):
            return True
    return False
