"""The learning rate stays what it was at first."""

from whygrad.interventions._common import rate_kept as intervene

__all__ = ["intervene"]
