"""Reasoning about one position: every forced cell with its reason, and exact chances."""
