"""A model that is to predict the next element can see it.

## What it means

A language model gets a sequence and has to say, at every position, what comes next: its targets are its inputs shifted
by one. If its output at position t depends on the input at t + 1 it only has to copy the answer. The loss gets very
small, often smaller than is possible at all, and generating fails, because there the next element does not exist yet.
The usual causes: attention without a causal mask, a bidirectional recurrent layer, a convolution that is padded on both
sides.

## How to recognise it

The targets of the loss equal the inputs of an embedding (or the first feature of a series) one position further.
whygrad then takes the gradient of the scores at one position in the middle, on the script's own graph, with respect to
the embedding's result. For a causal model it is exactly zero at every later position: a masked softmax gives zeros, not
small numbers. In 13 causal programs (masks of all kinds, left-padded convolutions, recurrent layers) it was 0; in 15
that look ahead it was between 0.013 and 1.02 of the gradient at the own position. The limit, 1e-5, only leaves out the
rounding of convolutions by FFT.

## Example

```python
h = self.block(self.embedding(tokens))        # nn.TransformerEncoderLayer without a mask
loss = F.cross_entropy(self.head(h).flatten(0, 1), next_tokens.flatten())
```

## Use instead

```python
mask = nn.Transformer.generate_square_subsequent_mask(tokens.size(1))
h = self.block(self.embedding(tokens), src_mask=mask, is_causal=True)
loss = F.cross_entropy(self.head(h).flatten(0, 1), next_tokens.flatten())
```

## Not this rule

Masked language models, classification of whole sequences, the encoder of a translation model. Models with batch or
group normalisation over positions are not tested: through the statistics everything depends on everything.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.Transformer.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html
- https://github.com/alex-matton/causal-transformer-decoder/issues/1
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.foresight import leaks, places, suspects

_FIXES = {
    "lstm": "Build it without bidirectional=True",
    "gru": "Build it without bidirectional=True",
    "rnn_tanh": "Build it without bidirectional=True",
    "rnn_relu": "Build it without bidirectional=True",
    "conv1d": "Pad only on the left (F.pad(x, (k - 1, 0)), padding=0)",
    "scaled_dot_product_attention": "Give it is_causal=True",
    "softmax": "Fill the scores of later positions with -inf before the softmax (a mask from torch.tril)",
}


def check(graph: Graph) -> Iterator[Finding]:
    """Scores with a gradient from the position that they are to predict."""
    for test in leaks(graph)[:1]:
        found = suspects(graph, test)
        causes = distinct(site for op in found or [test.loss] for site in places(graph, test, op))
        name = graph.label(found[0]) if found else ""
        through = f" through {name}" if name else ""
        behind = graph.flow.upstream(graph.trace.ops[test.loss].ins[:1])
        params = [graph.trace.values[v].param for v in behind if graph.trace.values[v].param >= 0]
        yield Finding(
            rule="future-leak",
            severity="error",
            title=f"the targets are the inputs one position further, and the scores at position {test.position} depend on "
            f"the input at {test.position + 1}, which is their own target{through}",
            parameters=graph.names(params),
            link=10,
            causes=causes[:3],
            evidence={
                "position": test.position,
                "gradient from its own position": test.own,
                "gradient from the next position": test.ahead,
            },
            fix=f"{_FIXES.get(name, 'Give the attention a causal mask')}, so that no position sees a later one.",
        )
