"""How many characters each part of turn one takes: as a table, as JSON, and over many trials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from agent.opening import parts_of
from controlplane.view.display_text import one_line


@dataclass(frozen=True, slots=True)
class TurnOne:
    """What one trial's first request holds."""

    trial: str
    """Its id, or its task's."""
    system: str
    pieces: tuple[str, ...]

    @property
    def chars(self) -> int:
        """The characters of the first message, the system prompt apart."""
        return sum(map(len, self.pieces))


def shares_object(turn: TurnOne) -> dict[str, object]:
    """Return the parts of a turn one as plain data."""
    parts = [
        {
            "part": each.title,
            "chars": each.chars,
            "share": round(each.chars / turn.chars, 4),
            "cut_chars": each.cut_chars,
        }
        for each in parts_of(turn.pieces)
    ]
    return {"trial": turn.trial, "chars": turn.chars, "system_chars": len(turn.system), "parts": parts}


def print_shares(turn: TurnOne) -> None:
    """Print a line for each part: its characters, its share, and whether it was cut."""
    print(f"{turn.trial}: turn one has {turn.chars} characters, the system prompt before it {len(turn.system)}")
    print(f"{'chars':>7}  {'share':>6}  {'shown':<16}  part")
    for each in parts_of(turn.pieces):
        shown = f"{each.cut_chars} cut" if each.cut_chars else "whole"
        print(f"{each.chars:>7}  {each.chars / turn.chars:>6.1%}  {shown:<16}  {one_line(each.title)}")


def print_totals(turns: Sequence[TurnOne]) -> None:
    """Print a line for each trial, the largest first, and the largest and median of all."""
    print(f"{'chars':>7}  {'system':>7}  {'together':>8}  trial")
    for each in sorted(turns, key=lambda turn: -turn.chars):
        system = len(each.system)
        print(f"{each.chars:>7}  {system:>7}  {each.chars + system:>8}  {one_line(each.trial)}")
    sizes = [each.chars for each in turns]
    print(f"largest {max(sizes)}, median {median(sizes):.0f} characters of turn one, the system prompt apart")
    print("The parts of one: add `--trial ID`")
