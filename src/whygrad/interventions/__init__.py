"""How each rule's cause is taken away, one file a rule, of the rule's own name. Found by walking; no torch."""
