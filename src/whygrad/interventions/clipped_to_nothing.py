"""The clipping is left out."""

from whygrad.interventions._common import clipping_left_out as intervene

__all__ = ["intervene"]
