"""Pure questions over a trace: what a rule asks. No torch."""

from whygrad.graph.chain import NOT_JUDGED, Graph, distinct, group
from whygrad.graph.cutting import blamed, escapes, grad_off, straight_through
from whygrad.graph.gradients import Loss
from whygrad.graph.operands import zero_parameters
from whygrad.graph.succession import renewed, successors
from whygrad.graph.vanishing import Vanished, held_back, vanished

__all__ = [
    "NOT_JUDGED",
    "Graph",
    "Loss",
    "Vanished",
    "blamed",
    "distinct",
    "escapes",
    "grad_off",
    "group",
    "held_back",
    "renewed",
    "straight_through",
    "successors",
    "vanished",
    "zero_parameters",
]
