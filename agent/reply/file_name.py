"""The file name of what is not in a file: code as a model wrote it. Imports nothing, as every command needs it."""

from typing import Final

REPLY: Final = "<reply>"
"""What stands for a file name where Python warns of what a model wrote."""
