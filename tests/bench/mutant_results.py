"""Keeps what the tests said of each mutant, so that a later run tries only those whose module or tests changed.

A result holds while the file of its module and the files of the tests that decided it stay the same, byte for byte. It
does not follow changes of other modules: a run without kept results does.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Result:
    """What the tests said of one mutant."""

    mutant: str
    noticed: bool
    killer: str
    """The test that failed; empty if none did, or if it is not known which."""
    files: dict[str, str]
    """The files that the result depends on, each with the hash of its content."""


class Results:
    """The results in one file, a line each; of two about one mutant the later one counts."""

    def __init__(self, file: Path, root: Path, packages: Iterable[str], *, is_read: bool = True) -> None:
        """Read `file`, and what the files of the packages hold now: a run tries what stood there when it began."""
        self._file = file
        self._by_mutant: dict[str, Result] = {}
        modules = [each for package in packages for each in (root / package).rglob("*.py")]
        self._now = {str(each.relative_to(root)): _hash_of(each) for each in modules}
        if is_read and file.exists():
            for line in file.read_text(encoding="utf-8").splitlines():
                with contextlib.suppress(ValueError):  # A line is torn where a run was ended.
                    result = Result(**json.loads(line))
                    self._by_mutant[result.mutant] = result
        elif file.exists():
            file.unlink()

    def holding(self, mutant: str) -> Result | None:
        """Return the result of a mutant whose files have not changed; None if there is none."""
        result = self._by_mutant.get(mutant)
        return result if result is not None and self._hashes(result.files) == result.files else None

    def killers(self) -> dict[str, str]:
        """Return for each mutant the test that noticed it last."""
        return {each.mutant: each.killer for each in self._by_mutant.values() if each.killer}

    def keep(self, mutant: str, killer: str, files: Iterable[str], *, noticed: bool) -> None:
        """Write down a result that depends on `files`."""
        result = Result(mutant, noticed, killer, self._hashes(sorted(files)))
        self._by_mutant[mutant] = result
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(result)) + "\n")

    def _hashes(self, files: Iterable[str]) -> dict[str, str]:
        return {each: self._now.get(each, "") for each in files}


def _hash_of(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16]
