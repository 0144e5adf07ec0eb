"""Gold graphs of tau-bench conversations, which are not here: see README.md."""
