"""An optimizer steps on gradients that the backward pass of another loss has left behind.

## What it means

`g_loss.backward()` fills the `.grad` of every parameter that the loss went through: those of the generator, which
`opt_g` steps, and those of the critic, which it does not. Unless they are cleared, the critic's own step uses them
too, added to the gradient of its own loss. Often they are the opposite of what it should learn: in a Wasserstein GAN
the generator's loss cancels the critic's term for fake samples exactly.

## How to recognise it

`.grad` of a parameter is not zero when the backward pass begins whose gradient its optimizer is to use. The two models
seem to work against each other's progress; the critic's loss drifts.

## Example

```python
opt_d.zero_grad()
opt_g.zero_grad()
(-D(fake).mean()).backward()                          # fills the critic's gradients as well
opt_g.step()
(D(fake.detach()).mean() - D(real).mean()).backward()
opt_d.step()                                          # uses both
```

## Use instead

```python
opt_g.zero_grad()
(-D(fake).mean()).backward()
opt_g.step()
opt_d.zero_grad()
(D(fake.detach()).mean() - D(real).mean()).backward()
opt_d.step()
```

## Not this rule

Losses that are meant to add up: several backward passes and then the steps of all optimizers; a shared encoder whose
optimizer steps together with the others. Gradients that are cleared before the pass that counts.
Two losses that are added up before all steps are reported only if they work against each other: the cosine between
their gradients must be below -0.3 on average. In twelve healthy trainings of an encoder with a second loss (another
task, a penalty on activations or weights) its mean over the first ten steps lay between -0.07 and 0.13; in the actor-critic,
the adversaries and the GANs of the tests whose passes were mixed up, between -0.78 and -0.38.

## References

- https://docs.pytorch.org/tutorials/beginner/dcgan_faces_tutorial.html
- https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.zero_grad.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.leaking import leaks


def check(graph: Graph) -> Iterator[Finding]:
    """Steps whose gradient held, beside that of the optimizer's own pass, that of a pass meant for another one."""
    for leak in leaks(graph):
        own, foreign = (graph.trace.backwards[b].stack for b in leak.passes)
        zeroed, step = leak.places
        places = [
            *graph.sites(zeroed, "cleared too early", 0),
            *graph.sites(own, "own backward", 0),
            *graph.sites(foreign, "other backward", 0),
            *graph.sites(step, "step", 0),
        ]
        yield Finding(
            rule="gradients-of-another-loss",
            severity="error" if leak.cosine < -0.3 else "warning",
            title=f"{graph.count(leak.params)}: {leak.times} of {leak.steps} steps of {leak.name} used gradients that "
            "another loss had left behind",
            parameters=graph.names(leak.params),
            link=10,
            causes=distinct(places)[:3],
            evidence={"left_behind_norm": leak.before, "own_grad_norm": leak.own, "cosine": leak.cosine},
            fix=f"Clear these gradients right before the backward pass that {leak.name} steps on (zero_grad of its own).",
        )
