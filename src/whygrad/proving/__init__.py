"""Taking a cause away and training again: proofs, and what they may not touch."""
