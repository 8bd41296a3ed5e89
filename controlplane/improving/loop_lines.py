"""The lines of an improvement loop's record: its plan, its proposals and its result."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

Instance: TypeAlias = tuple[int, str]
"""The number of a world, and the task to play in it."""


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class LoopOpened(_Line):
    """The plan of a loop. Its training, check and final parts share no world."""

    kind: Literal["loop_opened"] = "loop_opened"
    loop: str
    """The loop's id, which is the name of its folder."""
    settings: dict[str, Any]
    """The settings of the candidates' runs."""
    sources: dict[str, str]
    """Where each setting comes from, such as `flag`, by its name."""
    origins: dict[str, str]
    """The path of each edited file, by its name in a candidate; empty if there is none yet."""
    texts: dict[str, str]
    """The original candidate: the text of each edited file."""
    proposer: str
    """A model's name, or `command:` and a program."""
    train: tuple[Instance, ...]
    """What candidates play for the proposer to see."""
    check: tuple[Instance, ...]
    """What decides which candidate is the best."""
    final: tuple[Instance, ...]
    """What the best candidate and the original play at the end, to prove the result."""
    proposals: int
    """The largest number of proposals."""
    batch: int
    """The number of trials that a proposer sees before it proposes a change."""
    seed: int


class Proposed(_Line):
    """A proposal: the texts of a new candidate, or the reason why the proposal was refused."""

    kind: Literal["proposed"] = "proposed"
    parent: str = ""
    """The id of the candidate that the proposal changes."""
    texts: dict[str, str] = {}
    """The text of each edited file; empty if the proposal was refused."""
    refused: str = ""
    """Why the proposal was refused; empty if it was not."""
    cost_usd: float | None = 0.0
    tokens: int = 0


class LoopEnded(_Line):
    """The result: the comparison of the best candidate with the original on the final worlds."""

    kind: Literal["loop_ended"] = "loop_ended"
    best: str
    """The id of the best candidate."""
    is_better: bool
    """True if it is better than the original beyond chance."""
    text: str
    """The comparison in one line, for the user."""


LoopLine: TypeAlias = Annotated[
    LoopOpened | Proposed | LoopEnded, Field(discriminator="kind")
]
LINE: Final = TypeAdapter[LoopLine](LoopLine)
