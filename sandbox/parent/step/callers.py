"""Whose code makes the requests of a step: the script, its `verify`, or another function."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from controlplane.sandbox.interface.error_codes import PERMISSION_DENIED, CallError


class Callers:
    """Whose code makes the requests at the moment. Both flags are false for the script itself.

    If `verify` calls a function of the benchmark, both are true.
    """

    def __init__(self) -> None:
        self.in_function = False
        """True while a function of the benchmark runs."""
        self.in_verify = False
        """True while the script's `verify` runs."""

    @contextlib.contextmanager
    def during_function(self) -> Iterator[None]:
        """Within the block, a function of the benchmark makes the requests."""
        self.in_function = True
        try:
            yield
        finally:
            self.in_function = False

    @contextlib.contextmanager
    def during_verify(self) -> Iterator[None]:
        """Within the block, the script's `verify` makes the requests."""
        self.in_verify = True
        try:
            yield
        finally:
            self.in_verify = False

    @property
    def may_only_read(self) -> bool:
        """True while a function of the benchmark, or the script's `verify`, runs."""
        return self.in_function or self.in_verify

    def require_permission_to_change(self, fault: str) -> None:
        """Raise `CallError` if calls may only read at the moment. `fault` ends its message."""
        if not self.may_only_read:
            return
        place = "a function" if self.in_function else "verify"
        text = f"inside {place} harness calls only read; {fault}"
        raise CallError(PERMISSION_DENIED, text)
