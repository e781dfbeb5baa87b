"""Several ranks: starting them, what they tell each other, and joining what they saw."""
