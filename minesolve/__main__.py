"""Run the command line as ``python -m minesolve``."""

from minesolve.cli import main

if __name__ == "__main__":
    main()
