"""Words the messages by which a script learns why its submission is rejected.

    [gate 4: citations were read] `/a.md` was not read in this trial: read it, …
    [gate 6: wording; objection 1 of 2] `unclear` asks nothing: …

The second is of a rule that only asks: when it has objected twice, the answer passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from controlplane.gates.verdicts import MOST_ASKING_TURNS, RULE_SET_GATE, Verdict

HOW_TO_INSIST: Final = (
    "If the answer is right, submit it again: it passes, and is reported as accepted over the "
    "objection."
)


def message_of(verdict: Verdict, earlier_reasons: Sequence[str]) -> str:
    """Return the message about a rejection, for the script.

    A rule that asks may have objected in earlier turns, for the `earlier_reasons`. New lines
    come first. Those that the script has seen before are repeated whole, because a message is
    often all that is left of a turn. In the last turn, the message adds that the answer may be
    submitted again.
    """
    name = verdict.name
    if verdict.gate != RULE_SET_GATE:
        name = f"gate {verdict.gate}: {verdict.name}"
    if verdict.enforcement == "block":
        return f"[{name}] {verdict.reason}"

    earlier_lines = "\n".join(earlier_reasons).splitlines()
    new_lines: list[str] = []
    repeated_lines: list[str] = []
    for line in verdict.reason.splitlines():
        if line in earlier_lines:
            repeated_lines.append(f"This still stands: {line}")
        else:
            new_lines.append(line)

    turn = len(earlier_reasons) + 1
    lines = new_lines + repeated_lines
    is_last_turn = turn == MOST_ASKING_TURNS
    if is_last_turn:
        lines.append(HOW_TO_INSIST)
    return f"[{name}; objection {turn} of {MOST_ASKING_TURNS}] " + "\n".join(lines)
