"""Watchers: each notes one kind of fact. A module here that defines a class ``Watch`` takes part."""
