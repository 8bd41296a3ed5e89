"""Notices for the user of a run."""

from __future__ import annotations

from collections.abc import Callable


class Notices:
    """Passes notices on to whoever shows them to the user."""

    def __init__(self) -> None:
        self.listener: Callable[[str], None] | None = None
        """Called with each notice. None: nobody listens yet."""
        self._shown: set[str] = set()

    def show(self, text: str) -> None:
        """Show the user a notice."""
        if self.listener is not None:
            self.listener(text)

    def show_once(self, text: str) -> None:
        """Show the user a notice, unless this process has shown it before."""
        if text not in self._shown:
            self._shown.add(text)
            self.show(text)
