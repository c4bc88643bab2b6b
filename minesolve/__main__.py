"""Run the command line as ``python -m minesolve``."""

from minesolve.cli import main

main()
