"""Saved runs: where they lie, reading them, listing and comparing them."""
