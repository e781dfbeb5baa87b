"""The arithmetic of one measured step: what is computed on a device, without ever waiting for it.

All results go into one row of a tensor that was allocated before (the ring), so that they can be copied to the host
together, later. No tensor of the training is written to or kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from whygrad.monitor.rows import NO_GRADIENT, UNSEEN, Detail, Track
from whygrad.observe.sharding import freed, local
from whygrad.observe.stats import gradient_of, plain

SAMPLE = 1024  #: elements of a parameter that are looked at closely
CHUNK = 64  #: parameters that are looked at closely in one measured step
UNIT_WINDOW = 16  #: close looks at a vector of units that are judged together
_UNITS = 65536  #: longer vectors are no biases (FSDP flattens its parameters into one)
_RING_BYTES = 2**20
_ROWS = 64
_HALF = (torch.bfloat16, torch.float16)
_PLAIN = (torch.Tensor, torch.nn.Parameter)
SCALARS = ("loss", "unclipped", "found_inf", "grad_scale")
_FIELDS = ("nonzero", "moved", "update", "size", "live")


class Part:
    """The parameters of one optimizer that lie on one device, and what is measured of them.

    ``indices``: which of the track's they are. Memory: three buffers of ``CHUNK * SAMPLE`` numbers, the ring, and as much
    as the vectors of units take."""

    def __init__(self, track: Track, indices: Sequence[int], params: Sequence[torch.Tensor]) -> None:
        self.indices = list(indices)
        self.params = list(params)
        self.device = local(params[0]).device
        self.halves = any(p.dtype in _HALF for p in params)
        count, wide = len(params), any(p.dtype is torch.float64 for p in params)
        self.chunk = min(count, CHUNK)
        width = 2 * count + len(_FIELDS) * self.chunk + len(SCALARS)
        self.rows = max(2, min(_ROWS, _RING_BYTES // (4 * width)))
        self.ring = torch.full((self.rows, width), UNSEEN, device=self.device)
        self.clear()
        dtype = torch.float64 if wide else torch.float32
        self._none = torch.full((), NO_GRADIENT, device=self.device)
        self._frozen = torch.full((), UNSEEN, device=self.device)
        here = [local(p) for p in params]
        self._elements = [p.numel() for p in here]
        self._strides = [_stride(p.numel(), p.shape[-1] if p.dim() else 1) for p in here]
        lengths = [min(SAMPLE, -(-n // s)) for n, s in zip(self._elements, self._strides, strict=True)]
        self._buffers = torch.zeros((3, self.chunk, max(lengths)), dtype=dtype, device=self.device)
        self._lengths = lengths
        self._start = 0
        self._looks = [0] * -(-count // self.chunk)
        self._units = {
            j: torch.zeros_like(p, dtype=torch.float32, requires_grad=False)
            for j, (i, p) in enumerate(zip(indices, params, strict=True))
            if track.units(i) and p.numel() <= _UNITS and type(p) in _PLAIN
        }
        self._wide = wide

    def clear(self) -> None:
        """Begin the ring anew: no row has got any scalar yet."""
        self.ring[:, -len(SCALARS) :].fill_(-math.inf)

    # -- in the step ---------------------------------------------------------------------------------

    def before(self, row: int) -> None:
        """Take the sample of the weights, before the step. Begins a row."""
        self._row = self.ring[row]
        if len(self._looks) > 1:
            self._buffers.zero_()
        self._close = range(self._start, min(self._start + self.chunk, len(self.params)))
        self._sample(0, [measurable(self.params[j]) for j in self._close])

    def gradients(self, counting: bool) -> dict[str, Any]:
        """Measure the gradients, as they are now; ``counting``: also how many elements of each are not finite. Returns
        what the host must know to read the row."""
        grads = [_gradient(p) for p in self.params]
        count = len(grads)
        norms = iter(self._norms([g for g in grads if g is not None]))
        torch.stack(
            [
                next(norms) if g is not None else self._none if p.requires_grad else self._frozen
                for p, g in zip(self.params, grads, strict=True)
            ],
            out=self._row[:count],
        )
        if counting:
            spoilt = [
                torch.zeros_like(self._none) if g is None else g.isfinite().logical_not_().sum()
                for g in grads
            ]
            self._row[count : 2 * count].copy_(torch.stack([s.float() for s in spoilt]))
        close = [grads[j] if self._alike(j, grads[j]) else None for j in self._close]
        self._sample(1, close)
        self._slot("nonzero").copy_(torch.count_nonzero(self._buffers[1], dim=1))
        chunk = self._start // self.chunk
        self._looks[chunk] += 1
        return {
            "start": self._start,
            "sampled": [g is not None for g in close],
            "units": self._look_at_units(grads, full=self._looks[chunk] % UNIT_WINDOW == 0),
            "counted": counting,
        }

    def after(self) -> None:
        """Compare the weights with those before the step. Ends the row."""
        before, grads, now = self._buffers
        self._sample(2, [measurable(self.params[j]) for j in self._close])
        self._slot("size").copy_(torch.linalg.vector_norm(before, dim=1))
        change = now.sub_(before)
        self._slot("update").copy_(torch.linalg.vector_norm(change, dim=1))
        if self.halves:
            self._slot("moved").copy_(torch.count_nonzero(change.mul_(grads.ne_(0)), dim=1))
        self._start = 0 if self._close.stop >= len(self.params) else self._close.stop

    def scalar(self, name: str, value: torch.Tensor) -> None:
        """Put a number that is still on its way into the row."""
        at = SCALARS.index(name) - len(SCALARS)
        self._row[at].copy_(value.detach().reshape(()), non_blocking=True)

    def _norms(self, grads: list[torch.Tensor]) -> Sequence[torch.Tensor]:
        if not grads:
            return ()
        if not self._wide:
            norms: Sequence[torch.Tensor] = torch._foreach_norm(grads, 2, dtype=torch.float32)
            return norms
        return [torch.linalg.vector_norm(g).float() for g in grads]

    def _sample(self, which: int, tensors: Sequence[torch.Tensor | None]) -> None:
        """Copy evenly spaced elements of each tensor into a row of a buffer; what it does not fill stays 0."""
        to, what = [], []
        for slot, (j, tensor) in enumerate(zip(self._close, tensors, strict=True)):
            if tensor is not None:
                length = self._lengths[j]
                to.append(self._buffers[which, slot, :length])
                what.append(tensor.as_strided((length,), (self._strides[j],)))
            else:
                self._buffers[which, slot].zero_()
        if to:
            torch._foreach_copy_(to, what)

    def _alike(self, j: int, gradient: torch.Tensor | None) -> bool:
        """Whether the elements of a gradient lie as those of its parameter do (those of a sparse one do not)."""
        p = local(self.params[j])
        return gradient is not None and gradient.numel() == p.numel() and gradient.stride() == p.stride()

    def _look_at_units(self, grads: Sequence[torch.Tensor | None], full: bool) -> list[int]:
        """Note which units had a gradient; at the end of a window count them, and begin anew. Returns the slots of those
        that were counted."""
        own = [j for j in self._close if j in self._units and self._alike(j, grads[j])]
        if not own:
            return []
        seen = [self._units[j] for j in own]
        sizes = torch._foreach_abs([g.float() for j in own if (g := grads[j]) is not None])
        torch._foreach_maximum_(seen, list(sizes))
        if not full:
            return []
        counts = torch._foreach_norm(seen, 0)
        torch.stack(list(counts), out=self._slot("live")[: len(own)])
        torch._foreach_zero_(seen)
        return [j - self._start for j in own]

    def _slot(self, field: str) -> torch.Tensor:
        at = 2 * len(self.params) + _FIELDS.index(field) * self.chunk
        return self._row[at : at + self.chunk]

    # -- on the host, later --------------------------------------------------------------------------

    def norms(self, row: Sequence[float]) -> Sequence[float]:
        """The norms in a row that has come to the host."""
        return row[: len(self.params)]

    def nonfinite(self, row: Sequence[float]) -> dict[int, int]:
        """How many elements were not finite, of each parameter that had some."""
        count = len(self.params)
        return {self.indices[j]: int(n) for j, n in enumerate(row[count : 2 * count]) if n > 0}

    def scalars(self, row: Sequence[float]) -> dict[str, float]:
        """The numbers that :meth:`scalar` put there."""
        found = dict(zip(SCALARS, row[-len(SCALARS) :], strict=True))
        return {name: value for name, value in found.items() if value != -math.inf}

    def details(self, row: Sequence[float], told: dict[str, Any]) -> dict[int, Detail]:
        """What was seen of the parameters looked at closely; ``told`` is what :meth:`gradients` returned."""
        found = {}
        base, start = 2 * len(self.params), told["start"]
        fields = {f: row[base + n * self.chunk : base + (n + 1) * self.chunk] for n, f in enumerate(_FIELDS)}
        live = dict(zip(told["units"], fields["live"], strict=False))
        for slot, sampled in enumerate(told["sampled"]):
            elements, dtype = self._elements[start + slot], self.params[start + slot].dtype
            length = self._lengths[start + slot]
            if not length:
                continue
            update, size, nonzero = fields["update"][slot], fields["size"][slot], fields["nonzero"][slot]
            half = sampled and nonzero > 0 and dtype in _HALF
            found[self.indices[start + slot]] = Detail(
                zero=1 - nonzero / length if sampled else None,
                ratio=_ratio(update, size),
                still=1 - fields["moved"][slot] / nonzero if half else None,
                live=live[slot] / elements if slot in live else None,
                size=size * math.sqrt(elements / length),
            )
        return found


def measurable(tensor: torch.Tensor) -> torch.Tensor | None:
    """The elements of a tensor that are here, as a strided floating-point tensor whose elements lie densely; None if
    there are none."""
    if type(tensor) not in _PLAIN or tensor.layout is not torch.strided or tensor.is_complex():
        if tensor.is_sparse:
            tensor = tensor.coalesce()
        found = plain(tensor)
    else:
        usable = tensor.is_floating_point() and tensor.numel() and not tensor.is_meta and not freed(tensor)
        found = tensor if usable else None
    if found is None or found.is_contiguous() or found.is_contiguous(memory_format=torch.channels_last):
        return found
    return found.contiguous()


def _gradient(param: torch.Tensor) -> torch.Tensor | None:
    """The gradient that a step would use; none of a parameter that was frozen meanwhile."""
    if not param.requires_grad:
        return None
    gradient = param.grad if param.is_leaf else gradient_of(param)
    return None if gradient is None else measurable(gradient)


def _stride(elements: int, columns: int) -> int:
    """How far apart the elements of a sample lie: evenly, and not all in the same columns of a matrix."""
    stride = max(1, elements // SAMPLE)
    while stride > 1 and math.gcd(stride, columns) > 1:
        stride += 1
    return stride


def _ratio(update: float, size: float) -> float:
    return update / size if size else math.inf if update else 0.0
