"""`python -m tokengeist`: the command line, where the script is not on the path."""

from tokengeist.cli.main import main

main()
