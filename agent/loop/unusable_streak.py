"""Counts a trial's unusable replies in a row: when to ask in another reply mode, and when to give the trial up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypedDict

from agent.model.model_protocol import TOOL_NAME, ReplyMode, Tool
from agent.reply.action import FAULT_TEXTS, SCHEMA

SAME_FAULTS: Final = 3
"""Replies in a row with the same fault, after which the next is asked for in another mode."""
MOST: Final = 10
"""Unusable replies in a row that end the trial."""
_NEXT: Final = {ReplyMode.SCHEMA: ReplyMode.TOOL, ReplyMode.TOOL: ReplyMode.JSON, ReplyMode.JSON: ReplyMode.TEXT}
_TEXTS: Final = {str(fault): text for fault, text in FAULT_TEXTS.items()}
ACTION_TOOL: Final = Tool(name=TOOL_NAME, description="Run one Python script.", parameters=SCHEMA)


class Form(TypedDict, total=False):
    """The arguments of `Model.complete` that ask for an action in some form."""

    schema: Mapping[str, object] | None
    tools: tuple[Tool, ...]
    tool_choice: str


_FORMS: Final[Mapping[ReplyMode | None, Form]] = {
    None: {"schema": SCHEMA},
    ReplyMode.TOOL: {"schema": SCHEMA, "tools": (ACTION_TOOL,), "tool_choice": TOOL_NAME},
    ReplyMode.JSON: {"schema": {}},
    ReplyMode.TEXT: {"schema": None},
}


@dataclass(slots=True)
class UnusableStreak:
    """The unusable replies since the last usable one."""

    switches: bool = True
    """The reply mode may change; off if the user chose one."""
    mode: ReplyMode | None = None
    """The mode to ask in; None for the endpoint's own choice."""
    _replies: int = 0
    _faults: Counter[str] = field(default_factory=Counter)
    """The faults of the row, by what such a reply did."""
    _fault: str = ""
    _same: int = 0

    @property
    def form(self) -> Form:
        """How to ask for the next reply."""
        return _FORMS[self.mode]

    @property
    def reason(self) -> str:
        """Why the trial is given up, or an empty string."""
        return self.cause if self._faults.total() >= MOST else ""

    @property
    def cause(self) -> str:
        """What is wrong with the latest replies, or an empty string if the last one was usable."""
        row = self._faults.total()
        if not row:
            return ""
        which = (
            "every reply"
            if row == self._replies
            else "the last reply"
            if row == 1
            else f"each of the last {row} replies"
        )
        if len(self._faults) == 1:
            return f"{which} {next(iter(self._faults))}"
        told = ", ".join(f"{times} {text}" for text, times in self._faults.most_common())
        return f"{which} was unusable: {told}"

    def note(self, fault: str, asked_in: str) -> str:
        """Count a reply: its fault, empty for a usable one, and the mode that it was asked in, empty if it has none.

        Return the mode that is asked in from here on if it changes, else an empty string.
        """
        self._replies += 1
        if not fault:
            self._fault, self._same = "", 0
            self._faults.clear()
            return ""
        self._faults[_TEXTS.get(fault, "was unusable")] += 1
        self._same = self._same + 1 if fault == self._fault else 1
        self._fault = fault
        following = _NEXT.get(ReplyMode(asked_in)) if asked_in else None
        if not self.switches or self._same < SAME_FAULTS or following is None:
            return ""
        self.mode, self._same = following, 0
        return str(following)
