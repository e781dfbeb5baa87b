"""The checks for people's own code and tests: what ``import whygrad`` offers beside the report's values."""
