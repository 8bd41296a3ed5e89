"""What is printed about a loop of `improve`: its result, or how far it is, and what to do next.

A loop proposes changed texts for an agent (candidates), plays them, and keeps the best.
"""

from __future__ import annotations

import json

from controlplane.improving.loop_lines import LoopEnded
from controlplane.improving.loop_record import LoopRecord
from controlplane.program_invocation import invocation
from controlplane.quantity_texts import count_text
from controlplane.terminal_text import say


def say_unfinished(record: LoopRecord, reason: str) -> None:
    """Say why the loop stopped before its end, the best candidate so far, and how to continue."""
    resume = invocation("resume", record.plan.loop)
    say(
        f"{reason or 'interrupted'}; best so far: {record.best()}, on the check worlds; "
        f"continue with: {resume}",
        err=True,
    )


def print_loop(record: LoopRecord, *, as_json: bool) -> None:
    """Print the result of a loop, or how far it is: `better: +0.12 …`, and the next command.

    A loop that has ended with a better candidate can be applied, and one that has not ended resumed.
    """
    plan = record.plan
    refused = sum(1 for proposal in record.proposals if proposal.refused)
    next_command: tuple[str, ...] = ()
    if record.end is None:
        # Candidates in `checked` have played the check worlds, which decide about the best.
        candidates = count_text(len(record.checked()), "candidate")
        text = f"not ended; {candidates} on the check worlds so far"
        end = LoopEnded(best=record.best(), is_better=False, text=text)
        next_command = ("resume", plan.loop)
    else:
        end = record.end
        text = end.text if end.is_better else f"not better: {end.text}"
        if end.is_better:
            next_command = ("improve", "apply", plan.loop)

    if as_json:
        result = {
            "loop": plan.loop,
            "best": end.best,
            "is_better": end.is_better,
            "text": end.text,
            "refused": refused,
            "folder": str(record.folder),
        }
        print(json.dumps(result, ensure_ascii=False))
        return
    say(text)
    say(f"candidates  {record.folder / 'candidates'} ({refused} proposals refused)")
    if next_command:
        say(f"next        {invocation(*next_command)}")
