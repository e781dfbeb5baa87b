"""Thin layers between whygrad and programs that run people's code for them."""
