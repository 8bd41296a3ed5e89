"""The files below a question's folder that are not read, by reason.

Why a file is left out matters twice: the user is told before the question is asked, and a
script that names the file anyway gets the reason.
"""

from __future__ import annotations


class LeftOut(dict[str, list[str]]):
    """The paths of files that are left out, by reason."""

    def add(self, reason: str, path: str) -> None:
        """Record that a file is left out."""
        self.setdefault(reason, []).append(path)

    def reason_of(self, path: str) -> str:
        """Return why a file was left out; empty if it was not."""
        for reason, paths in self.items():
            if path in paths:
                return reason
        return ""
