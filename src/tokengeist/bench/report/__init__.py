"""What comes of runs: the paper's tables and figures, as a page, as Markdown and as LaTeX."""
