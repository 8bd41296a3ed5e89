"""The paths that a script read, changed or ran. It may cite them as sources."""

from __future__ import annotations

from collections.abc import Container

from controlplane.sandbox.files.file_paths import normal_path
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import Refusal


class CitablePaths:
    """The citable paths among the `files` of a folder."""

    def __init__(self, files: Container[str]) -> None:
        self._files = files
        self._paths: set[str] = set()

    def add(self, path: str) -> None:
        """Let a path be cited from now on."""
        self._paths.add(normal_path(path))

    def cite(self, path: str, reason: str) -> str:
        """Return `path` in its normal form. Raises `Refusal` if it was not read.

        A path may end with a fragment, which is kept: `docs/a.md#limits` -> `/docs/a.md#limits`.
        """
        if len(reason.strip()) < bounds.LEAST_REASON_CHARS:
            msg = f"the reason has fewer than {bounds.LEAST_REASON_CHARS} characters: {reason!r}"
            raise Refusal(msg)

        # 1. The name of a file may contain `#`. So take the path as it is first.
        whole_path = normal_path(path)
        if whole_path in self._paths:
            return whole_path
        if whole_path in self._files:
            raise _not_read(path)

        # 2. There is no such file, so `#` begins a fragment.
        file_path, mark, fragment = path.partition("#")
        cited_path = normal_path(file_path)
        if cited_path not in self._paths:
            raise _not_read(path)
        return cited_path + mark + fragment


def _not_read(path: str) -> Refusal:
    return Refusal(f"{path} was not read in this run")
