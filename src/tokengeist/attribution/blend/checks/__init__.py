"""What the evidence shows to be wrong with a statement, one kind of error a file."""
