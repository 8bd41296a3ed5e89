"""The changes that an answer proposes: shown, made if the user wants them, and reported."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from controlplane.commands.output.change_consent import ChangeConsent
from controlplane.commands.output.made_changes import make_and_say
from controlplane.errors import ChangesProposed
from controlplane.file_changes.file_change import ChangeRefused, FileChange
from controlplane.questions.changes import ProposedChanges, proposed_changes
from controlplane.questions.scope import QuestionScope
from controlplane.terminal_text import say
from controlplane.view.answer.asked_answer import AskedAnswer
from controlplane.view.answer.file_diff import file_diff
from controlplane.view.answer.invisible_characters import visible_name
from controlplane.view.answer.shown_path import shown_path

OLD_VERSIONS: Final = ".old-versions"
"""The folder beside the journals that keeps the changed files as they were before the last change."""
REFUSED_CHANGE: Final = 1
"""The exit code if a change that the user wants cannot be made."""


def offer_changes(
    answer: AskedAnswer, scope: QuestionScope, consent: ChangeConsent, runs: Path
) -> int:
    """Show the changes that the scripts proposed, and make those that the user wants.

    `runs` is the folder of the journals. Return the exit code:

    - `REFUSED_CHANGE`: one of the changes cannot be made.
    - That of `ChangesProposed`: changes were not made, because nobody could be asked.
    - 0: the user has decided, or there is nothing to decide: no changes, or no accepted answer.
    """
    proposed = proposed_changes(answer, scope)
    unseen = show_changes(proposed.possible, is_silent=consent.as_json)
    if not proposed.possible and not proposed.refused:
        return 0
    if answer.exit_code:
        say("nothing is written: no answer was accepted", err=True)
        return 0

    is_undecided = False
    if proposed.possible:
        if consent.is_given(unseen):
            _make_possible(proposed, runs / OLD_VERSIONS)
        else:
            _say_unwritten(unseen)
            is_undecided = not consent.can_ask
    for place, reason in proposed.refused.items():
        say(f"not written: {visible_name(str(place))}: {reason}", err=True)
    if proposed.refused:
        return REFUSED_CHANGE
    return ChangesProposed.exit_code if is_undecided else 0


def show_changes(
    changes: Mapping[str, FileChange], *, is_silent: bool = False
) -> list[str]:
    """Show the diff of each change, unless `is_silent`.

    Return the names of the files whose diffs are too large to be shown whole.
    """
    unseen = []
    for path, change in changes.items():
        name = shown_path(path, change.root)
        diff = file_diff(name, change)
        if not diff.is_whole:
            unseen.append(visible_name(name))
        if not is_silent:
            say(f"\n{diff.text}", is_styled=True)
    return unseen


def _say_unwritten(unseen: list[str]) -> None:
    """Say that the changes are only proposed, and what would make them.

    `unseen` are the files whose changes are too large to show.
    """
    remedy = "ask with --apply to make the changes without being asked"
    if unseen:
        names = ", ".join(unseen)
        remedy = (
            f"ask with --apply=unseen to make changes that cannot be shown ({names})"
        )
    say(f"proposed; nothing is written; {remedy}", err=True)


def _make_possible(proposed: ProposedChanges, old_versions: Path) -> None:
    """Make the possible changes: all or none.

    If one of them turns out to be impossible, for example since its file was changed meanwhile, it
    is moved to the refused changes, which the caller reports, and the others are tried again.
    """
    while proposed.possible:
        try:
            make_and_say(proposed.possible, old_versions)
        except ChangeRefused as refusal:
            was_moved = proposed.refuse(refusal)
            if not was_moved:  # It is about none of these files.
                raise
        else:
            return
