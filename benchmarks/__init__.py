"""How fast reading is, against a bare forward pass and against the paper's procedure."""
