"""A day book: lines that say something, and lines that correct lines or take them back, corrections included.

What it says is read from its end: a line counts as its later corrections have it, unless it was taken back by a line
that was not taken back itself. No single line can be understood without those that it points to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Final

from benchmarks.ecom.world.generator import World

AMOUNT, PLACE, VOID = "amount", "place", "void"
ABOVE, OWN, TIME = "above", "own", "time"
WRITERS: Final = ("mk", "jd", "rv")
MISREAD: Final = ("book", ABOVE, OWN)
"""What a hasty reader does: skips the book, takes a line about a correction as one about what that corrected, and
takes a writer's own last line for the line above."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line: what it says by the name of its wording, or what it does to the line that it points to."""

    moment: datetime
    """By the shops' clocks."""
    by: str
    kind: str
    about: int = -1
    pointer: str = ""
    said: tuple[tuple[str, str], ...] = ()
    """The place and the amount, or the one that is corrected."""


@dataclass(frozen=True, slots=True)
class DayBook:
    """The lines of a day book, in their order."""

    lines: Sequence[Line]

    def standing(self, end: datetime, ignored: str = "") -> list[tuple[Line, Mapping[str, str]]]:
        """Return the lines before an instant that say something and stand then, with place and amount as corrected."""
        gone, later, found = set[int](), dict[int, dict[str, str]](), list[tuple[Line, Mapping[str, str]]]()
        for at in reversed(range(len(self.lines))):
            line = self.lines[at]
            if line.moment >= end or at in gone or ignored == "book":
                continue
            about = at - 1 if ignored == OWN and line.pointer == OWN else line.about
            while ignored == ABOVE and about >= 0 and self.lines[about].about >= 0:
                about = self.lines[about].about
            said = {**dict(line.said), **later.get(at, {})}
            if line.about < 0:
                found.insert(0, (line, said))
            elif line.kind == VOID:
                gone.add(about)
            else:
                later[about] = {**said, **later.get(about, {})}
        return found


def draw_book(rng: Random, start: datetime, end: datetime, said: Mapping[str, Sequence[tuple[str, str]]]) -> DayBook:
    """Draw a book between two instants; `said` has the places and amounts of each kind of line."""
    minutes = sorted(rng.sample(range(int((end - start).total_seconds()) // 60), 16))
    lines, gone, last = list[Line](), set[int](), dict[str, int]()
    amounts = sorted({amount for some in said.values() for _, amount in some})
    for at, minute in enumerate(minutes):
        moment, by = start + timedelta(minutes=minute), rng.choice(WRITERS)
        pointer = rng.choice((ABOVE, ABOVE, OWN, OWN, TIME))
        targets = {ABOVE: at - 1, OWN: last.get(by, -1), TIME: rng.randrange(at) if at else -1}
        about = targets[pointer] if at > 1 and rng.random() < 0.62 else -1
        last[by] = at
        if about < 0 or about in gone:
            kind = rng.choice([*said])
            place, amount = rng.choice(said[kind])
            lines.append(Line(moment, by, kind, said=((PLACE, place), (AMOUNT, amount))))
            continue
        target = dict(lines[about].said)
        kind = rng.choice([name for name in target if target[name]] + [VOID])
        if kind == VOID:
            gone.add(about)
            lines.append(Line(moment, by, VOID, about, pointer))
            continue
        pool = amounts if kind == AMOUNT else sorted({place for some in said.values() for place, _ in some})
        value = rng.choice([each for each in pool if each != target[kind]])
        lines.append(Line(moment, by, kind, about, pointer, ((kind, value),)))
    return DayBook(lines)


def post_book(world: World, book: DayBook, hours: int) -> str:
    """Write a book into a file, by days, with what its words mean; return the path."""
    path = f"{world.names.notices.rpartition('/')[0]}/day-book-{world.rng.randint(10, 99)}.md"
    text, day = f"# Day book\n\n{world.say('book', hours=hours)}\n", ""
    for line in book.lines:
        if day != (day := f"{line.moment:%Y-%m-%d}"):
            text += f"\n## {day}\n\n"
        pointed = f"{book.lines[line.about].moment:%Y-%m-%d %H:%M}"
        pointer = world.say(f"point-{line.pointer}", time=pointed) if line.pointer else ""
        text += (
            f"- {line.moment:%H:%M} {line.by}: {world.say(f'line-{line.kind}', pointer=pointer, **dict(line.said))}\n"
        )
    world.files[path] = text
    return path
