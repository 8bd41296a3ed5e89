"""Has calls under way, up to `AT_A_TIME` side by side, and shows what they return in their order, within limits."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from agent.events.call_records import CallRecord
from agent.evidence.recorder import CallUnderWay, Recorder
from agent.opening.opening_knowledge import OpeningKnowledge
from agent.opening.section import Place, Section, without_marks
from sandbox.interface import CallError, Plain

AT_A_TIME: Final = 8
"""How many of turn one's calls are under way at a time, if the environment's reading calls may be."""


@dataclass(frozen=True, slots=True)
class Block:
    """What turn one shows of one call, or a text of its own."""

    place: Place
    pieces: list[str]
    call: CallRecord | None = None
    result: str = ""
    """Of a call: what is shown of its result."""


class SectionQueue:
    """The sections that are under way, and the pieces of turn one that those before them gave."""

    def __init__(
        self,
        recorder: Recorder,
        instruction: str,
        *,
        section_chars: int,
        total_chars: int,
        samples: bool = True,
    ) -> None:
        self.recorder = recorder
        self.known = OpeningKnowledge(instruction)
        self.section_chars = section_chars
        self.left = total_chars
        """Characters that may still be shown."""
        self.samples = samples
        """A sample of each kind of file is shown."""
        self._blocks: list[Block] = []
        """What turn one shows so far."""
        self.left_out: list[str] = []
        """Titles of the sections for which there was no room."""
        self.at_a_time = AT_A_TIME if recorder.surface.reads_side_by_side else 1
        self._sent: list[CallUnderWay] = []
        self._under_way: deque[Section] = deque()

    @property
    def under_way(self) -> int:
        """How many sections are not shown yet."""
        return len(self._under_way)

    def send(self, operation: str, arguments: Mapping[str, Plain]) -> CallUnderWay:
        """Begin a call: beside others if it only reads, else once they are done."""
        only_reads = not self.recorder.surface.may_change(operation, arguments)
        self.show_until(self.at_a_time - 1 if only_reads else 0)
        self._sent.append(self.recorder.send(operation, arguments, begins=only_reads))
        return self._sent[-1]

    def add(self, section: Section) -> None:
        """Take a section, to be shown after those under way."""
        self._under_way.append(section)

    def show_until(self, count: int) -> None:
        """Show the earliest sections until at most `count` are under way."""
        while len(self._under_way) > count:
            self.show_first()

    def show_first(self) -> None:
        """Show the earliest section, as far as there is room; the rest of its text does not count as read."""
        section = self._under_way.popleft()
        chars = section.limited(min(self.section_chars, max(self.left, 0)))
        result = section.parts or self.recorder.outcome(section.call).result
        text = ""
        if result is not None:
            text = section.text(result, self.known.instruction)
            self.known.learn(section, result, text)
        shown, told = section.shown(text, chars)
        cut = len(text) - told
        try:
            if section.parts is None:
                self.recorder.receive(section.call, shown_chars=told)
        except CallError as error:
            failure = f"(failed: {error})"
            shown, cut = failure[:chars], len(failure) - chars
        self.left -= len(shown)
        pieces = section.pieces(shown, cut)
        if section.room is not None:
            section.room.left -= sum(map(len, pieces))
        cut_note = pieces[-1].partition("</section>")[2].rstrip()
        self._blocks.append(Block(section.place, pieces, section.call.call, shown + cut_note))

    def say(self, text: str) -> None:
        """Add a text that is no section: what is not shown."""
        self._blocks.append(Block(Place.WHAT_IS_NOT_SHOWN, [without_marks(text)]))

    @property
    def blocks(self) -> list[Block]:
        """What turn one shows so far: first what other trials show as well, last what is this trial's own."""
        return sorted(self._blocks, key=lambda block: block.place)

    @property
    def pieces(self) -> list[str]:
        """The blocks as turn one holds them."""
        return [piece for block in self.blocks for piece in block.pieces]

    def await_calls(self) -> None:
        """Wait for the calls that nobody asks about any more because the trial is left."""
        self.recorder.leave(self._sent)
