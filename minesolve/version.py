"""The version, where every module can read it."""

__all__ = ["VERSION"]

VERSION = "0.1.0"
