"""System calls that Python's library does not have, made by ctypes.

The kernel returns a negative number for a call that failed. The methods here turn it
into the reason, such as `mount: EPERM (Operation not permitted)`.
"""

from __future__ import annotations

import ctypes
import errno
import os
from typing import Any


class CallFailed(Exception):
    """The kernel refused a system call; the message says why."""


class SystemCalls:
    """Makes system calls."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL(None, use_errno=True)
        """The functions of the C library, most of which make one system call."""
        self.by_number: Any = self.library.syscall
        """Makes the system call of a number: for calls that the C library does not have."""
        self.by_number.restype = ctypes.c_long

    def reason(self, result: int, call: str) -> str:
        """Return why a call failed, given its result; empty if it did not fail."""
        if result >= 0:
            return ""
        code = ctypes.get_errno()
        return f"{call}: {errno.errorcode.get(code, code)} ({os.strerror(code)})"

    def require(self, result: int, call: str) -> None:
        """Raise `CallFailed` if a call failed, given its result."""
        reason = self.reason(result, call)
        if reason:
            raise CallFailed(reason)
