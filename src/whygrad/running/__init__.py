"""Running the user's script: as the interpreter would, watched or kept going, and ended when enough was seen."""
