"""Programs without random addresses in memory, so that a replay prints the same.

Linux places a program at random addresses. They decide, for example, in which order Python
prints the set `{int, str}`, because the hash of a type is its address.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Iterator
from typing import Final

# From sys/personality.h
_READ_PERSONALITY: Final = 0xFFFFFFFF
"""The argument with which `personality` only returns the current flags."""
_NO_RANDOM_ADDRESSES: Final = 0x0040000
"""The flag that turns address space randomization off."""


@contextlib.contextmanager
def fixed_addresses() -> Iterator[None]:
    """Let programs that are started within the block have no random addresses in memory.

    They inherit that from this process. Where the kernel does not allow it, the block runs
    as usual.
    """
    library = ctypes.CDLL(None)
    if not hasattr(library, "personality"):  # Only Linux has it.
        yield
        return
    # `personality(flags)` sets flags of this process, and returns the flags before.
    personality: Callable[[int], int] = library.personality
    flags_before = personality(_READ_PERSONALITY)
    if flags_before == -1:
        yield
        return
    personality(flags_before | _NO_RANDOM_ADDRESSES)
    try:
        yield
    finally:
        personality(flags_before)
