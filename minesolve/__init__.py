"""A Minesweeper toolkit: hints with reasons, exact probabilities, proven no-guess boards, repeatable measurement."""

__version__ = "0.1.0"
