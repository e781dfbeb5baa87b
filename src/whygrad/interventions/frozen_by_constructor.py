"""The parameters are left trainable."""

from whygrad.interventions._common import left_trainable as intervene

__all__ = ["intervene"]
