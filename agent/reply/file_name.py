"""The file name of what is not in a file: code as a model wrote it. Imports nothing, as every command needs it."""

from typing import Final

REPLY: Final = "<reply>"
"""The file name in Python's warnings about what a model wrote."""
