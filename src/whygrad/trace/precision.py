"""Regions of autocast, and the devices that the parameters lie on."""

from __future__ import annotations

from whygrad.trace.record import Record


class Region(Record, frozen=True):
    """``torch.autocast`` for a ``device`` type was entered at ``stack`` and left again, from tick ``begun`` to ``ended``
    (-1: not left). ``enabled``: it is switched on (torch switches it off where the device is not there); ``dtype``: what
    it computes in."""

    stack: int
    device: str
    dtype: str
    enabled: bool
    begun: int
    ended: int = -1


class Precision(Record, frozen=True):
    """All of them (the first few hundred). ``devices``: the types of devices that parameters lie on which optimizers
    hold."""

    regions: tuple[Region, ...] = ()
    devices: tuple[str, ...] = ()
