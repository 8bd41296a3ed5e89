"""The tools of an environment, and which of their arguments are files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class ExecutableKind(StrEnum):
    """The effect of running an executable."""

    READS = "reads"
    """It leaves the world unchanged."""
    CHANGES = "changes"
    """It changes the world."""
    UNKNOWN = "unknown"
    """It may change the world."""


class GivenArguments(NamedTuple):
    """The arguments of one run of a tool, without its options.

    For `grep -i heron /a.md /b.md`, with one argument before the files
    (`FileArguments.first`): `before` is `("heron",)`, and `files`
    is `("/a.md", "/b.md")`.
    """

    before: tuple[str, ...]
    files: tuple[str, ...]
    behind: tuple[str, ...]
    """The arguments after the files; empty unless `FileArguments.count` limits the files."""


@dataclass(frozen=True, slots=True)
class FileArguments:
    """Says which arguments of a tool are files that it opens. The argument `-` stands for stdin."""

    first: int = 0
    """The number of arguments before the files, such as
    the pattern of `grep`. Options are not counted."""
    count: int | None = None
    """The most files that the tool takes. The arguments after them are not files,
    but for example ids of records in the files. None if all arguments after
    the first ones are files."""
    options: tuple[str, ...] = ()
    """Options without a value that change neither
    the opened files nor the printed words, such as `-n`."""

    def split(self, words: Sequence[str]) -> GivenArguments | None:
        """Return the parts of a run's arguments; None if they contain an undeclared option."""
        arguments = []
        for word in words:
            is_option = word.startswith("-") and word != "-"
            if is_option and word not in self.options:
                return None
            if not is_option:
                arguments.append(word)

        if self.count is None:
            files_end = len(arguments)
        else:
            files_end = self.first + self.count
        return GivenArguments(
            before=tuple(arguments[: self.first]),
            files=tuple(arguments[self.first : files_end]),
            behind=tuple(arguments[files_end:]),
        )


@dataclass(frozen=True, slots=True)
class Executable:
    """A tool of the environment. Scripts run it by the operation whose effect is `executes`."""

    path: str
    kind: ExecutableKind = ExecutableKind.UNKNOWN
    summary: str = ""
    files: FileArguments | None = None
    """Which arguments are files that the tool reads. After a run, the trial
    may cite these files. None means that it may cite only the tool."""
