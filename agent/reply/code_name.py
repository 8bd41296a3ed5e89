"""The file name of code that a model wrote.

The command line filters Python's warnings by it, so this module imports none of ours.
"""

from typing import Final

REPLY: Final = "<reply>"
"""The file name of code that a model wrote, in Python's warnings."""
