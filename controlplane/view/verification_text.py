"""Prints whether the scripts of a run did the same as in its journal when they were run again."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING

from rich.text import Text

from controlplane.journal.journal_reader import Journal
from controlplane.quantity_texts import count_text
from controlplane.terminal_text import say
from controlplane.view.printed_columns import CleanConsole

if TYPE_CHECKING:
    from controlplane.replay.verification import Verification


def print_verification(
    verification: Verification, journal: Journal, *, as_json: bool
) -> None:
    """Print what differs, and what was compared."""
    if as_json:
        print(json.dumps(_verification_object(verification, journal)))
        return
    for difference in verification.differences:
        say(difference)
    say(_result_text(verification, journal))
    CleanConsole(highlight=False).print(Text(_compared_text(verification)))


def _verification_object(
    verification: Verification, journal: Journal
) -> dict[str, object]:
    from controlplane.replay.verification import compared_fields, signed_only_fields

    return {
        "agrees": not verification.differences,
        **dataclasses.asdict(verification),
        "closed": bool(journal.summary.process.closed),
        "compared": compared_fields(),
        "only_marked": signed_only_fields(),
    }


def _compared_text(verification: Verification) -> str:
    """Return which fields of events were compared, and what protects the others.

    Some fields, such as replies, cannot be computed again. The mark on each line of the
    journal, which is the user's signature, protects them. `unmarked` says which marks are
    missing.
    """
    from controlplane.replay.verification import SIGNED_ONLY_TEXT, compared_fields

    events = []
    for name, fields in compared_fields().items():
        events.append(f"{name} ({', '.join(fields)})")
    rest = "not recomputed; protected only by your signature"
    if verification.unmarked:
        rest = f"not verified, as {verification.unmarked}"
    return f"compared: {', '.join(events)}\n{rest}: {SIGNED_ONLY_TEXT}"


def _result_text(verification: Verification, journal: Journal) -> str:
    """Return `3 trials, 12 steps: everything is as recorded`, and any exceptions."""
    trials = count_text(verification.trials, "trial")
    steps = count_text(verification.steps, "step")
    text = f"{trials}, {steps}: everything is as recorded"
    if verification.differences:
        differing = count_text(len(verification.differences), "step")
        versions = " and ".join(verification.other_versions)
        text += f" except for {differing}, under another version of {versions}"
    if verification.left_out:
        text += f"; not compared: {'; '.join(verification.left_out)}"
    if journal.is_torn:
        text += "; the last line was cut off while it was written"
    elif not journal.summary.process.closed:
        text += "; the journal ends before the run was closed"
    return text
