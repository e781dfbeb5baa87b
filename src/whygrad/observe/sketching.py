"""Sketches of parameters and buffers: a few numbers by which the distance of two tensors on two ranks can be told.

Each product is one with a fixed vector whose elements are nearly independent with mean 0 and variance 1 (sqrt(2) times the
cosine of multiples of an angle), so that the mean square of the differences of the products estimates the squared distance
(Johnson and Lindenstrauss, "Extensions of Lipschitz mappings into a Hilbert space", 1984)."""

from __future__ import annotations

import math

import torch

from whygrad import trace as t
from whygrad.observe.recorder import Recorder
from whygrad.observe.stats import capturing, checksum, norm_of, numbers, plain

_PRODUCTS = 8
_SAMPLE = 4096  #: elements of a tensor that go into its products
_ANGLE = 2.399963229728653  #: the golden angle: its multiples are spread evenly
_MOST = 4000  #: tensors


def moment(recorder: Recorder, held: set[int]) -> t.Moment | None:
    """A sketch of every live parameter that is ``held``, and of every buffer."""
    if capturing():
        return None
    vectors: dict[torch.device, torch.Tensor] = {}
    asked: list[tuple[int, int]] = []
    scalars: list[torch.Tensor] = []
    for entry in recorder.params.entries:
        tensor = entry.ref()
        if tensor is None or (entry.index not in held and entry.role != "buffer") or len(asked) >= _MOST:
            continue
        data = _measurable(tensor)
        if data is None:
            continue
        products = _products(data, vectors)
        asked.append((entry.index, data.numel()))
        scalars += [norm_of(data), checksum(data), *products]
    seen = numbers(scalars)
    width = _PRODUCTS + 2
    sketches = []
    for i, (index, count) in enumerate(asked):
        norm, total, *products = seen[i * width : (i + 1) * width]
        scale = math.sqrt(count / min(count, _SAMPLE))
        sketches.append(t.Sketch(index, float(norm), int(total), tuple([float(p) * scale for p in products])))
    return t.Moment(recorder.step, tuple(sketches))


def _measurable(tensor: torch.Tensor) -> torch.Tensor | None:
    try:
        data = plain(tensor)
        return data if type(data) is torch.Tensor else None
    except Exception:
        return None  # a foreign subclass


def _products(data: torch.Tensor, vectors: dict[torch.device, torch.Tensor]) -> list[torch.Tensor]:
    if data.device not in vectors:
        exact = torch.float32 if data.device.type == "mps" else torch.float64
        places = torch.arange(1, _SAMPLE + 1, dtype=exact, device=data.device)
        turns = torch.arange(1, _PRODUCTS + 1, dtype=exact, device=data.device) ** 2
        vectors[data.device] = math.sqrt(2) * torch.cos(turns[:, None] * places * _ANGLE + places.sqrt())
    own = vectors[data.device]
    flat = data.reshape(-1)
    flat = flat[:: max(1, -(-flat.numel() // _SAMPLE))].to(own.dtype)
    return list((own[:, : flat.numel()] @ flat).unbind())
