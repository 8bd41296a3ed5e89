"""Counts the characters of each part of a trial's first request: as a table, as JSON, and over many trials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from agent.opening import Part, parts_of_system, parts_of_turn_one
from controlplane.view.display_text import one_line


@dataclass(frozen=True, slots=True)
class FirstRequest:
    """The first request of one trial."""

    trial: str
    """Its id, or its task's."""
    system: str
    pieces: tuple[str, ...]
    """The pieces of turn one, the first message."""
    hints: str = ""
    """Text that the owner added to the system prompt's end."""

    @property
    def turn_one_chars(self) -> int:
        """The characters of the first message."""
        return sum(map(len, self.pieces))

    @property
    def chars(self) -> int:
        """The characters of all of it."""
        return len(self.system) + self.turn_one_chars

    @property
    def parts(self) -> list[tuple[str, Part]]:
        """The message that each part is in, and the part."""
        return [
            *(("system prompt", each) for each in parts_of_system(self.system, self.hints)),
            *(("turn one", each) for each in parts_of_turn_one(self.pieces)),
        ]


def shares_object(request: FirstRequest) -> dict[str, object]:
    """Return the parts of a first request as plain data."""
    parts = [
        {
            "message": message,
            "part": each.title,
            "chars": each.chars,
            "share": round(each.chars / request.chars, 4),
            "cut_chars": each.cut_chars,
        }
        for message, each in request.parts
    ]
    return {
        "trial": request.trial,
        "chars": request.chars,
        "system_chars": len(request.system),
        "turn_one_chars": request.turn_one_chars,
        "parts": parts,
    }


def print_shares(request: FirstRequest) -> None:
    """Print a line for each part: its characters, its share, and whether it was cut."""
    print(
        f"{one_line(request.trial)}: the first request has {request.chars} characters, "
        f"{len(request.system)} of the system prompt and {request.turn_one_chars} of turn one"
    )
    print(f"{'chars':>7}  {'share':>6}  {'shown':<16}  {'message':<13}  part")
    for message, each in request.parts:
        shown = f"{each.cut_chars} cut" if each.cut_chars else "whole"
        share = each.chars / request.chars
        print(f"{each.chars:>7}  {share:>6.1%}  {shown:<16}  {message:<13}  {one_line(each.title)}")


def print_totals(requests: Sequence[FirstRequest]) -> None:
    """Print a line for each trial, the largest first, and the largest and median of all."""
    print(f"{'chars':>7}  {'system':>7}  {'turn one':>8}  trial")
    for each in sorted(requests, key=lambda request: -request.chars):
        print(f"{each.chars:>7}  {len(each.system):>7}  {each.turn_one_chars:>8}  {one_line(each.trial)}")
    sizes = [each.chars for each in requests]
    print(f"largest {max(sizes)}, median {median(sizes):.0f} characters of a first request")
    print("The parts of one: add `--trial ID`")
