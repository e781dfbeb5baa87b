"""Watches a run of torch. The only part of whygrad that intercepts torch."""
