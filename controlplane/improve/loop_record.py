"""The record of a loop: what was proposed, refused, measured and kept, one signed line each, written before it counts.

A loop goes on from its record alone. Every line carries the user's mark, so that nobody else's line is acted on.
"""

from __future__ import annotations

import fcntl
import hmac
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from controlplane.errors import JournalDamaged, UsageError
from controlplane.journal.journal_file import LOOP_FILE, open_to_append
from controlplane.journal.journal_lines import made_key

MAX_BYTES: Final = 256 << 20


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


Worlds: TypeAlias = tuple[tuple[int, str], ...]
"""The instances of one part: seed and task id of each."""


class LoopOpened(_Line):
    """The loop's plan. Its three parts share no seed, or, where seeds change nothing, no task."""

    kind: Literal["loop_opened"] = "loop_opened"
    loop: str
    settings: dict[str, Any]
    sources: dict[str, str]
    files: tuple[tuple[str, str], ...]
    """Name in a candidate, and origin, of each edited file."""
    texts: dict[str, str]
    """The original candidate."""
    proposer: str
    train: Worlds
    check: Worlds
    final: Worlds
    objectives: tuple[str, ...]
    proposals: int
    batch: int
    seed: int


class Proposed(_Line):
    """A proposal, or its refusal; a proposal that is not refused is the next candidate."""

    kind: Literal["proposed"] = "proposed"
    number: int
    parent: str
    texts: dict[str, str]
    """The whole candidate; for a refusal, what was proposed."""
    refused: str = ""
    cost_usd: float | None = 0.0
    tokens: int = 0
    elapsed_s: float = 0.0


class Kept(_Line):
    """A candidate that was better on its batch of train worlds, and was then played on all check worlds."""

    kind: Literal["kept"] = "kept"
    candidate: str
    parents: tuple[str, ...]
    check_score: float


class LoopEnded(_Line):
    """The result: the best candidate and the original on the final worlds, played once."""

    kind: Literal["loop_ended"] = "loop_ended"
    best: str
    is_better: bool
    text: str


LoopLine: TypeAlias = Annotated[LoopOpened | Proposed | Kept | LoopEnded, Field(discriminator="kind")]
_ADAPTER: Final[TypeAdapter[Any]] = TypeAdapter(LoopLine)


class LoopRecord:
    """The lines of one loop, in its folder. Only one process may hold it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._path = folder / LOOP_FILE
        self._key = made_key() or b""
        self.lines: list[LoopOpened | Proposed | Kept | LoopEnded] = []
        self._end = 0
        """Bytes of the whole lines; a line that was cut off by a kill follows them until the next one is written."""
        if self._path.exists():
            self.lines = list(self._read())

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the record for writing. Raises `UsageError` if another process holds it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with open_to_append(self.folder / ".lock") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                msg = f"the loop {self.folder.name} is being worked on by another process"
                raise UsageError(msg) from error
            yield

    def append(self, line: LoopOpened | Proposed | Kept | LoopEnded) -> None:
        """Write one line to the disk."""
        body = line.model_dump_json().encode()
        with self._path.open("r+b" if self._path.exists() else "wb") as file:
            file.truncate(self._end)
            file.seek(self._end)
            self._end += file.write(body + b"\t" + self._mark(body, len(self.lines)) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self.lines.append(line)

    def _mark(self, body: bytes, number: int) -> bytes:
        return hmac.digest(self._key, b"loop %d %b" % (number, body), "sha256").hex().encode()

    def _read(self) -> Iterator[LoopOpened | Proposed | Kept | LoopEnded]:
        if self._path.stat().st_size > MAX_BYTES:
            msg = f"{self._path} is larger than any loop's record"
            raise JournalDamaged(msg)
        data = self._path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        self._end = len(whole)
        for number, line in enumerate(whole.splitlines()):
            body, _, mark = line.rpartition(b"\t")
            if not hmac.compare_digest(mark, self._mark(body, number)):
                msg = f"{self._path}, line {number + 1}: it does not carry your mark, so the loop cannot go on from it"
                raise UsageError(msg)
            try:
                yield _ADAPTER.validate_python(json.loads(body))
            except (ValueError, ValidationError) as error:
                msg = f"{self._path}, line {number + 1} cannot be read: {error}"
                raise JournalDamaged(msg) from error

    @property
    def plan(self) -> LoopOpened:
        """The first line. Raises `UsageError` if there is none."""
        if not self.lines or not isinstance(self.lines[0], LoopOpened):
            msg = f"{self.folder} is not the folder of a loop"
            raise UsageError(msg)
        return self.lines[0]

    @property
    def end(self) -> LoopEnded | None:
        """The last line, if the loop has ended."""
        return self.lines[-1] if self.lines and isinstance(self.lines[-1], LoopEnded) else None
