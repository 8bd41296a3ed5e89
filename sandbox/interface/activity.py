"""Whose code runs in a step. Both sides keep this: the parent, and the process of the script."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class Activity:
    """Whose code makes the requests at the moment. If no flag is true, the script itself does.

    If `verify` calls a function of the benchmark, two flags are true.
    """

    def __init__(self) -> None:
        self.in_verify = False
        """True while the script's `verify` runs, its own check of its answer."""
        self.in_function = False
        """True while a function of the benchmark runs."""
        self.is_over = False
        """True after the step. Objects of the step may still exist, for example a function that
        the script put somewhere. They can no longer make requests or print."""

    @property
    def may_only_read(self) -> bool:
        """True while a function of the benchmark, or the script's `verify`, runs."""
        return self.in_verify or self.in_function

    @property
    def is_script(self) -> bool:
        """True if the script itself runs, which may change the scratchpad."""
        return not self.may_only_read and not self.is_over

    @contextmanager
    def during_verify(self) -> Iterator[None]:
        """Within the block, the script's `verify` makes the requests."""
        self.in_verify = True
        try:
            yield
        finally:
            self.in_verify = False

    @contextmanager
    def during_function(self) -> Iterator[None]:
        """Within the block, a function of the benchmark makes the requests."""
        self.in_function = True
        try:
            yield
        finally:
            self.in_function = False
