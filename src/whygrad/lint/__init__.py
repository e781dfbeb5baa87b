"""``whygrad lint``: the faults that can be seen in the source, without running it and without torch.

A static rule is a file in ``whygrad.lint.rules``. It shares its slug with the runtime rule of the same mechanism, and meets
it only in :class:`whygrad.finding.Finding`. ``docs/lint.md`` says what the analysis knows and how to write a rule."""
