"""Everything in one trial: the model's messages
and replies, its scripts, and the gated submission."""

from typing import Final

REPLY: Final = "<reply>"
"""The file name of code that a model wrote, in Python's warnings."""
