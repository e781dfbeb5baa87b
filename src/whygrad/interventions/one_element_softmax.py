"""The softmax returns its input."""

from whygrad.interventions._common import operation_left_out as intervene

__all__ = ["intervene"]
