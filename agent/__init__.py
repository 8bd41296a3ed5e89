"""One trial: what the model sees and says, what its scripts do, and the gated submission."""

from typing import Final

REPLY: Final = "<reply>"
"""The file name of code that a model wrote, in Python's warnings."""
