"""What may be done with a setting, beside setting it for `run`.

For example, `max_steps: Annotated[int, ASK]` is also an option of the command `ask`.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Final


class Use(Enum):
    """What may be done with a setting.

    A field of the settings names its uses
    in its annotation, as in `Annotated[int, ASK]`.
    """

    UNTRUSTED = auto()
    """controlplane.toml may set it before the user trusts that file, because no value does harm.

    A harmless setting starts no program and imports no module. It names no address,
    key, price, isolation layer or place to write. It makes no run send more or longer
    requests than by default.
    """
    NO_FLAG = auto()
    """Only controlplane.toml and the environment set it; the command line has no flag for it."""
    ASK = auto()
    """`ask` offers it as an option."""
    SERVED = auto()
    """`mcp` offers it as an option."""
    RESUMABLE = auto()
    """A resumed run may have another value than the recorded one."""
    SPENDING = auto()
    """It limits what a run spends."""
    RECORDED_TEXT = auto()
    """It names a file whose text the journal holds: a recorded run keeps that text."""


# Short names, since almost every field has two or three uses.

UNTRUSTED: Final = Use.UNTRUSTED
NO_FLAG: Final = Use.NO_FLAG
ASK: Final = Use.ASK
SERVED: Final = Use.SERVED
RESUMABLE: Final = Use.RESUMABLE
SPENDING: Final = Use.SPENDING
RECORDED_TEXT: Final = Use.RECORDED_TEXT
