"""The static rules: one file each, found by walking this package. ``docs/lint.md`` says how to write one.

The slug of a rule (its file's name with dashes) is that of the runtime rule for the same mechanism, whose page is then this
rule's too; only where there is no such rule does the docstring here hold the page."""
