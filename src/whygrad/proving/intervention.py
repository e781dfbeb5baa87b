"""Taking a cause away: what is to be done differently in a second run of the same script. No torch here.

A rule that can be proved has a function ``intervene(graph, finding)`` beside ``check``, which returns an
:class:`Intervention`. ``observe.intervening`` carries it out at run time; the source is never touched.
"""

from __future__ import annotations

from typing import Any

import msgspec

from whygrad.finding import Finding


class Place(msgspec.Struct, frozen=True):
    """A line of the user's source, as a finding names it (relative to the working directory where it lies below)."""

    file: str
    line: int


class Intervention(msgspec.Struct, frozen=True):
    """What to do differently. ``kind`` is one of

    ``pass-through``: the operations ``names`` at ``places`` return their (first) input;
    ``straight-through``: they keep their result and get the gradient of the identity;
    ``skip``: the calls ``names`` at ``places`` are not made (zero_grad, clip_grad_norm_, zero_, copy_, ...);
    ``keep-tensor``: conversions to numbers and rebuildings from them at ``places`` keep the tensor;
    ``grad-on``: autograd is not switched off at ``places``;
    ``grad-in-closure``: closures that optimizers call run with autograd on;
    ``trainable``: ``requires_grad`` is not set to False at ``places``, and ``params`` are made trainable;
    ``hand-over``: the optimizer of that number gets the live ``params`` with its own settings;
    ``step-after-backward``: its step() is called after every backward pass, then zero_grad();
    ``keep-rate``: its learning rate stays what it was at first (``rate`` if that was 0);
    ``re-initialise``: ``params`` get small random values before the first step;
    ``keep-parameter``: modules keep the first Parameter they had under the names of ``params``;
    ``write-back``: what is computed from a Parameter at ``places`` is written into it;
    ``finite``: the operations ``names`` at ``places`` get zeros in place of NaN and infinite elements;
    ``overfit``: none of these, but a run of ``--overfit``: every pass gets the first batch (``observe.overfitting``);
    ``grad-input``: custom Functions applied at ``places`` get an input that requires grad;
    ``align``: of two operands with equally many elements at ``places`` the second gets the shape of the first;
    ``reset-parameters``: the modules of ``params`` get their own ``reset_parameters()`` before the first step;
    ``option``: the group's ``names`` get the values of ``rate`` before every step (``weight_decay`` 0, say).

    ``text`` says it in the report: "with {text}, ...". ``shows``: what a second run must show to prove the cause:
    ``trains`` (the parameters train), ``learns`` (the loss falls farther), ``differs`` (what was found is gone, and
    that makes a difference to the loss)."""

    kind: str
    text: str
    places: tuple[Place, ...] = ()
    names: tuple[str, ...] = ()
    params: tuple[str, ...] = ()
    optimizer: int = -1
    rate: float | None = None
    shows: str = "trains"

    def to_json(self) -> str:
        """One line of JSON, for the process that carries it out."""
        return msgspec.json.encode(self).decode()


def read(text: str) -> Intervention:
    """The intervention written by :meth:`Intervention.to_json`."""
    return msgspec.json.decode(text, type=Intervention)


def where(finding: Finding) -> str:
    """The finding's first place, as the report names it."""
    return f"{finding.causes[0].file}:{finding.causes[0].line}" if finding.causes else "this line"


def at(sites: Any, *roles: str) -> tuple[Place, ...]:
    """The places of a finding's causes with one of ``roles`` (all, if none is given)."""
    return tuple(Place(s.file, s.line) for s in sites if not roles or s.role in roles)
