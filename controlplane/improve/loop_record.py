"""The record of a loop: its plan, and what was proposed, refused, kept and proved, one marked line each.

Lines are chained and marked as those of a journal are, and each is on the disk before it counts. A loop goes on from
its record alone, so a line without the user's mark is never acted on. Texts of candidates are in their own folders.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from controlplane.errors import UsageError
from controlplane.journal.journal_file import LOOP_FILE, lines_of, open_to_read
from controlplane.journal.journal_index import fields_of
from controlplane.journal.journal_lines import GENESIS, EncodedEvent, JournalWriter, checked_hash, own_key

Instance: TypeAlias = tuple[int, str]
"""One task in the world of one seed."""
Worlds: TypeAlias = tuple[Instance, ...]


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class LoopOpened(_Line):
    """The loop's plan. Its three parts share no seed, or, where seeds change nothing, no task."""

    kind: Literal["loop_opened"] = "loop_opened"
    loop: str
    settings: dict[str, Any]
    sources: dict[str, str]
    origins: dict[str, str]
    """By the name of each edited file, the path that it was read from; empty if no file holds it yet."""
    texts: dict[str, str]
    """The original candidate: the text of each edited file."""
    proposer: str
    train: Worlds
    check: Worlds
    final: Worlds
    thrift: str
    """What breaks ties of the score: `tokens`, `cost` or `turns`; empty if nothing does."""
    proposals: int
    batch: int
    seed: int


class Proposed(_Line):
    """A proposal: the candidate that it makes of its parent, or why it was refused."""

    kind: Literal["proposed"] = "proposed"
    number: int
    parent: str
    candidate: str = ""
    """Its id; empty if it was refused."""
    refused: str = ""
    cost_usd: float | None = 0.0
    tokens: int = 0


class Kept(_Line):
    """A candidate that was better on its batch of train worlds, and was then played on all check worlds."""

    kind: Literal["kept"] = "kept"
    candidate: str
    parents: tuple[str, ...]
    """One for a proposal, two for a merge."""
    check_score: float


class LoopEnded(_Line):
    """The result: the best candidate and the original on the final worlds, played once."""

    kind: Literal["loop_ended"] = "loop_ended"
    best: str
    is_better: bool
    text: str


LoopLine: TypeAlias = Annotated[LoopOpened | Proposed | Kept | LoopEnded, Field(discriminator="kind")]
_ADAPTER: Final[TypeAdapter[Any]] = TypeAdapter(LoopLine)
Kind = TypeVar("Kind", Proposed, Kept, LoopEnded)


class LoopRecord:
    """The lines of one loop, in its folder."""

    def __init__(self, folder: Path) -> None:
        """Read the lines, if there are any. Raises `UsageError` for a line that does not carry the user's mark."""
        self.folder = folder
        self.path = folder / LOOP_FILE
        self.lines: list[LoopOpened | Proposed | Kept | LoopEnded] = []
        self._length, self._hash = 0, GENESIS
        self._writer: JournalWriter | None = None
        if not self.path.exists():
            return
        key = own_key()
        with open_to_read(self.path) as file:
            for line in lines_of(file):
                if not line.endswith(b"\n"):  # cut off by a kill
                    break
                try:
                    self._hash, is_marked = checked_hash(line[:-1], self._hash, key)
                except ValueError:
                    is_marked = False
                if not is_marked:
                    number = len(self.lines) + 1
                    msg = f"{self.path}, line {number}: it does not carry your mark, so the loop cannot go on from it"
                    raise UsageError(msg)
                self._length += len(line)
                self.lines.append(_ADAPTER.validate_python(fields_of(line)))
        if not self.lines:
            msg = f"{self.path} holds no whole line of a loop; start another one"
            raise UsageError(msg)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the record for writing. Raises `UsageError` if another process holds it."""
        with JournalWriter(self.path, create=not self.lines) as self._writer:
            self._writer.continue_after(length=self._length, last_hash=self._hash)
            yield

    def append(self, line: LoopOpened | Proposed | Kept | LoopEnded) -> None:
        """Write one line to the disk, in a block of `writing`."""
        assert self._writer is not None
        self._writer.write_encoded(EncodedEvent(line.model_dump_json().encode(), {}))
        self._writer.sync()
        self.lines.append(line)

    def all(self, kind: type[Kind]) -> list[Kind]:
        """Return the lines of one kind, in order."""
        return [line for line in self.lines if isinstance(line, kind)]

    @property
    def plan(self) -> LoopOpened:
        """The first line."""
        assert isinstance(self.lines[0], LoopOpened)
        return self.lines[0]

    @property
    def end(self) -> LoopEnded | None:
        """The last line, if the loop has ended."""
        return next(iter(self.all(LoopEnded)), None)
