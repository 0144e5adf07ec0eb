"""Figure 5: the same question put to Tokengeist and to at2, inseq and context-cite.

`make bench-peers` installs the three in a virtual environment of their own and runs the table.
"""
