"""What whygrad says: findings, and the report that holds them.

These are the values the rules yield and the renderers draw. They are the JSON contract
``whygrad.report/1`` (see ``docs/json-report.md``), field for field. Nothing here imports torch.
"""

from __future__ import annotations

import importlib
from typing import Any, Literal

import msgspec

SCHEMA = "whygrad.report/1"

Severity = Literal["error", "warning", "note"]
VerdictName = Literal["trains", "does-not-train", "suspect", "incomplete"]
StepState = Literal["ok", "cut", "zero", "lost"]

#: The nine links between a loss and a parameter, in order; a parameter's verdict names the first broken one.
LINKS: dict[int, str] = {
    1: "registered",
    2: "trainable",
    3: "used",
    4: "reaches the loss by value",
    5: "reaches the loss by autograd",
    6: "gradient non-zero and finite",
    7: "gradient survives until the step",
    8: "held and stepped by an optimizer",
    9: "the update changes the value and stays",
}


class Site(msgspec.Struct, frozen=True):
    """A place in the user's source. ``role`` says what the place has to do with the finding
    (``cut``, ``zeroed``, ``created``, ``optimizer``, ``frozen``, ``caller``, ...)."""

    file: str
    line: int
    function: str = ""
    code: str = ""
    role: str = ""


class Step(msgspec.Struct, frozen=True):
    """One station of the path from a parameter to the loss.

    ``module``: the module of torch's that called the operation (empty: the user's own code did). ``grad_fn``: the node
    by which ``backward()`` came to it (empty: it did not come there). ``gradient``: the greatest absolute value of the
    gradient that arrived at this node (None: none did, or it was not measured)."""

    label: str
    file: str
    line: int
    function: str = ""
    state: StepState = "ok"
    module: str = ""
    grad_fn: str = ""
    gradient: float | None = None


class Station(Step, frozen=True, kw_only=True):
    """A :class:`Step` that the ways of several parameters share. ``next``: the index in ``Report.stations`` of the
    next one towards the loss (None: the loss)."""

    next: int | None = None


class Proof(msgspec.Struct, frozen=True):
    """Whether taking the cause away made the parameters train (see ``--prove``)."""

    state: Literal["proved", "refuted", "not-possible", "not-run"] = "not-run"
    text: str = ""


class Finding(msgspec.Struct, frozen=True):
    """One cause and all the parameters it stops.

    ``causes[0]`` is the line to look at first. ``edits`` are changes of single lines that carry the fix out: ``file``,
    ``line``, ``old`` (the line as recorded, without its indentation), ``new`` (what it becomes, one or several lines;
    empty: it goes) and ``safe`` (whether the program computes the same afterwards). ``link`` is the
    number of the broken link (1 to 9, see :data:`LINKS`), 10 for a model that learns the wrong thing, 0 where no link
    applies. ``ranks``: the processes
    of a distributed run that show it, in order; empty where a single process was observed.
    """

    rule: str
    severity: Severity
    title: str
    parameters: tuple[str, ...] = ()
    link: int = 0
    causes: tuple[Site, ...] = ()
    path: tuple[Step, ...] = ()
    evidence: dict[str, Any] = {}
    fix: str = ""
    edits: tuple[dict[str, Any], ...] = ()
    proof: Proof = Proof()
    suppressed: bool = False
    ranks: tuple[int, ...] = ()


class ParameterVerdict(msgspec.Struct, frozen=True):
    """What became of one parameter. ``verdict`` is ``trains``, ``frozen`` or the name of the broken link
    (:data:`LINKS`); ``grad_norm`` holds one L2 norm a backward pass that reached it (None: no gradient);
    ``weight_change`` is the L2 norm of last minus first value over the L2 norm of the first (summed per step),
    over that of the last for a parameter that started at zero."""

    fqn: str
    shape: tuple[int, ...]
    dtype: str
    requires_grad: bool
    optimizer: str | None
    group: int | None
    lr: float | None
    verdict: str
    broken_link: int | None
    grad_norm: tuple[float | None, ...]
    weight_change: float | None
    findings: tuple[str, ...] = ()
    module: str = ""
    registered: bool = True
    created: Site | None = None
    used: Site | None = None
    grad_at_step: tuple[float | None, ...] = ()
    update_ratio: tuple[float | None, ...] = ()
    path: int | None = None


class Cost(msgspec.Struct, frozen=True):
    """What the fault costs: shares between 0 and 1.

    ``parameters``: elements of parameters that do not train (and are not frozen) over all elements.
    ``time``: forward and backward seconds spent in operations that consume only such parameters,
    over all seconds of operations that consume parameters."""

    parameters: float
    time: float


class Overfit(msgspec.Struct, frozen=True):
    """What became of ``whygrad run --overfit``: can this model learn one batch at all?

    ``outcome``: ``memorised``; ``falling`` (not yet, and the loss still falls); ``partly`` (a part of it); ``stuck`` (the
    loss does not get there); ``diverged`` (it is not finite any more); ``unknown`` (``text`` says why).
    ``batch``: ``loader`` (every DataLoader repeated its first batch), ``held`` (the first batch was held where it meets
    the parameters), ``same`` (the script reads the same at every pass anyway), ``changing`` (it could not be repeated).
    ``guess`` is the loss of the best answer that ignores the input, ``uniform`` that of equal probabilities for all
    classes, ``floor`` that of a perfect answer; None where they are not known. ``right``: the share of samples put in
    their class at the end. ``least_moved``: for the modules that moved least, by how much of their own size."""

    outcome: Literal["memorised", "falling", "partly", "stuck", "diverged", "unknown"]
    text: str
    batch: Literal["loader", "held", "same", "changing"]
    passes: int = 0
    loss: str = ""
    start: float | None = None
    end: float | None = None
    guess: float | None = None
    uniform: float | None = None
    floor: float | None = None
    right: float | None = None
    least_moved: dict[str, float] = {}


class Report(msgspec.Struct, frozen=True):
    """Everything whygrad has to say about one run.

    ``losses`` are those of the place where ``backward`` was called most often, so that the two losses of a GAN
    do not mix. ``watched`` counts what was looked at. ``raised`` is the exception that ended the script, as text.
    ``overfit`` is there only for ``--overfit``. ``guess`` is the loss of the best answer that ignores the input, where
    one known loss function makes the whole loss. ``stations`` holds the ways from the parameters to the loss, which
    begin at ``ParameterVerdict.path``."""

    verdict: VerdictName
    script: str
    steps: int
    backwards: int
    seconds: float
    environment: dict[str, Any]
    findings: tuple[Finding, ...] = ()
    parameters: tuple[ParameterVerdict, ...] = ()
    cost: Cost | None = None
    incomplete: tuple[str, ...] = ()
    ended: str = ""
    watched: dict[str, int] = {}
    losses: tuple[float, ...] = ()
    raised: str = ""
    overfit: Overfit | None = None
    guess: float | None = None
    stations: tuple[Station, ...] = ()

    def __str__(self) -> str:
        """The report as the terminal shows it, in plain text of 80 columns."""
        # by name: the renderers import this module, which imports nothing of ours
        text: str = importlib.import_module("whygrad.render").renderer("terminal")(self)
        return text

    def to_html(self) -> str:
        """The report as one HTML page that holds all it needs."""
        html: str = importlib.import_module("whygrad.render").renderer("html")(self)
        return html

    def _repr_html_(self) -> str:
        """The report as a notebook shows it: verdict and worst finding, and the whole report to open."""
        html: str = importlib.import_module("whygrad.render._html_notebook").notebook(self)
        return html

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """The same where IPython shows a value as text."""
        printer.text(str(self))

    def loud(self) -> tuple[Finding, ...]:
        """The findings a user sees without asking: errors and warnings that are not suppressed."""
        return tuple(f for f in self.findings if f.severity != "note" and not f.suppressed)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain JSON-ready values, ``schema`` first."""
        fields: dict[str, Any] = msgspec.to_builtins(self)
        return {"schema": SCHEMA, **fields}
