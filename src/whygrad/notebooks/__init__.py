"""Notebooks as scripts: their cells as Python, line for line."""
