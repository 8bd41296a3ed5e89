"""The file name of code as a model wrote it. Imports nothing, because every command needs this module."""

from typing import Final

REPLY: Final = "<reply>"
"""The file name in Python's warnings about what a model wrote."""
