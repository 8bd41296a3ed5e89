"""What commands show of the answer to a question, and do with the changes that it proposes."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from controlplane.configuration.run_names import run_argument, runs_folder
from controlplane.errors import ChangesProposed
from controlplane.facts.answer_facts import AskedAnswer, asked_answer, shown_path
from controlplane.file_changes import ChangeRefused, FileChange, make_changes
from controlplane.gates.support.marks import unverified_in
from controlplane.journal.journal_reader import open_journal
from controlplane.program_invocation import invocation
from controlplane.questions import (
    TASK,
    ProposedChanges,
    QuestionScope,
    proposed_changes,
    save_task,
)
from controlplane.terminal_text import one_line, sanitize, say
from controlplane.view.answer.answer_text import answer_object, answer_text
from controlplane.view.answer.file_diff import file_diff, visible_name
from controlplane.view.answer.value_trace import value_trace

SHOWN_CHANGES: Final = "shown"
"""`--apply`: make the changes if every diff can be shown whole."""
ALL_CHANGES: Final = "unseen"
"""`--apply=unseen`: make even changes that the user has not seen, since they are too large."""


# Makes changes of the user's files, and says which files changed, and how to undo that.
#
# The commands `ask` and `undo` use it. The old versions are kept until the next change.


def make_and_say(changes: Mapping[str, FileChange], old_versions: Path) -> None:
    """Make changes, and say which files changed.

    The files as they were before are kept in the folder `old_versions`. Raises
    `ChangeRefused`; then no change is made.
    """
    make_changes(changes, old_versions)
    written = []
    deleted = []
    for path, change in changes.items():
        name = visible_name(shown_path(path, change.root))
        if change.new_text is None:
            deleted.append(name)
        else:
            written.append(name)
    if written:
        say(f"written: {', '.join(written)}", err=True)
    if deleted:
        say(f"deleted: {', '.join(deleted)}", err=True)
    if old_versions.exists():
        # Say where the old versions are, and which command brings them back.
        words = ["undo"]
        runs = old_versions.parent
        if runs != runs_folder(None):
            words += ["--runs-dir", str(runs)]
        place = f"old versions, until the next change: {old_versions}"
        say(f"{place}; {invocation(*words)} takes the change back", err=True)


# The changes that an answer proposes: shown, made if the user wants them, and reported.

OLD_VERSIONS: Final = ".old-versions"
"""The folder beside the journals that keeps the changed files as they were before the last change."""
_REFUSED_CHANGE: Final = 1
"""The exit code if a change that the user wants cannot be made."""


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


# What becomes of the answer to a question: it is printed and saved, and its changes are made.


@dataclass(frozen=True, slots=True)
class AnswerOutput:
    """Prints answers, and saves them or makes their changes, as the command's options say."""

    scope: QuestionScope
    """The files that the question is about, and the folder that it may change."""
    quiet: bool = False
    as_json: bool = False
    save_task: Path | None = None
    """The folder in which the question and its answer are saved as a task; None: nowhere."""
    strict: bool = False
    """A value that nothing supports, or an answer without any passage, makes the exit code 1."""
    applies: str | None = None
    """Which changes are made without asking: `SHOWN_CHANGES`, `ALL_CHANGES`, or none (None)."""
    why: str = ""
    """A value of the answer of which it is said how it was judged; empty for none."""

    @property
    def can_ask(self) -> bool:
        """True if there is a terminal, and the output is text."""
        return sys.stdin.isatty() and not self.as_json

    def present(self, path: Path) -> int:
        """Print the answer in the journal at `path`, save it, and make its changes, as the user wants.

        Return the exit code.
        """
        with open_journal(path) as journal:
            answer = asked_answer(journal, self.scope.root)
            notices = journal.summary.notices
        if self.as_json:
            result = answer_object(answer, path, notices)
            if self.why:
                result["why"] = self._trace(path)
            print(json.dumps(result))
        else:
            say(answer_text(answer), is_styled=True)
            self.explain(path)

        if self.save_task is not None:
            _save_task(self.save_task, answer, path)
        code_of_changes = self._offer_changes(answer, path.parent)
        if not self.as_json and not self.quiet:
            replay = invocation("replay", run_argument(path), "--trial", TASK)
            say(f"next: {replay}", err=True)
        return self._exit_code(answer, code_of_changes)

    def _offer_changes(self, answer: AskedAnswer, runs: Path) -> int:
        """Show the changes that the scripts proposed, and make those that the user wants.

        `runs` is the folder of the journals. Return the exit code:

        - `_REFUSED_CHANGE`: one of the changes cannot be made.
        - That of `ChangesProposed`: changes were not made, because nobody could be asked.
        - 0: the user has decided, or there is nothing to decide: no changes, or no accepted answer.
        """
        proposed = proposed_changes(answer, self.scope)
        unseen = show_changes(proposed.possible, is_silent=self.as_json)
        if not proposed.possible and not proposed.refused:
            return 0
        if answer.exit_code:
            say("nothing is written: no answer was accepted", err=True)
            return 0

        is_undecided = False
        if proposed.possible:
            if self._has_consent(unseen):
                _make_possible(proposed, runs / OLD_VERSIONS)
            else:
                # Say that the changes are only proposed, and what would make them.
                remedy = "ask with --apply to make the changes without being asked"
                if unseen:
                    names = ", ".join(unseen)
                    remedy = f"ask with --apply=unseen to make changes that cannot be shown ({names})"
                say(f"proposed; nothing is written; {remedy}", err=True)
                is_undecided = not self.can_ask
        for place, reason in proposed.refused.items():
            say(f"not written: {visible_name(str(place))}: {reason}", err=True)
        if proposed.refused:
            return _REFUSED_CHANGE
        return ChangesProposed.exit_code if is_undecided else 0

    def _has_consent(self, unseen: list[str]) -> bool:
        """Return True if the user wants the changes, by an option or when asked.

        `unseen` are the files whose changes are too large to show.
        """
        if self.applies == ALL_CHANGES:
            return True
        if self.applies == SHOWN_CHANGES and not unseen:
            return True
        if not self.can_ask:
            return False
        prompt = "Make these changes"
        if unseen:
            prompt += f", {', '.join(unseen)} unseen"
        return click.confirm(f"{prompt}?", err=True)

    def explain(self, path: Path) -> None:
        """Say how the value that the user asks about was judged, if there is one."""
        if self.why:
            say("\n" + sanitize("\n".join(self._trace(path))))

    def _trace(self, path: Path) -> list[str]:
        """Return how a value was judged in the only trial of a journal, in a few lines."""

        def path_text(file: str) -> str:
            return shown_path(file, self.scope.root)

        with open_journal(path) as journal:
            (trial,) = journal.trials.values()
            return value_trace(trial.record, trial.summary, self.why, path_text)

    def _exit_code(self, answer: AskedAnswer, code_of_changes: int) -> int:
        """Return the first of these exit codes that applies (`code_of_changes` has 2, 4 or 5):

        1. That of the answer, if no answer was accepted.
        2. `_REFUSED_CHANGE`, if a change that the user wants cannot be made.
        3. 1, if the user gave `--strict`, and a value of the answer, or all of it, is unsupported.
        4. That of `ChangesProposed`, if nobody could be asked about changes.
        5. 0.
        """
        if answer.exit_code:
            return answer.exit_code
        if code_of_changes == _REFUSED_CHANGE:
            return _REFUSED_CHANGE
        if self.strict and (unverified_in(answer.marks) or answer.is_without_passages):
            return 1
        return code_of_changes

    def show_unfinished(self, path: Path, stdout: int) -> None:
        """Write the answer of a question that was stopped.

        A signal handler calls this. The signal may have interrupted a `print`, and another
        one would fail, so the text is written to the file descriptor `stdout`.
        """
        root = self.scope.root
        with open_journal(path) as journal:
            answer = asked_answer(journal, root)
            (trial,) = journal.trials.values()  # A question is a run of one trial.
            steps = trial.record.step_summaries
            notices = journal.summary.notices
        if self.as_json:
            text = json.dumps(answer_object(answer, path, notices))
        else:
            # With what is known of the work on it: the last step, and the files that it read
            parts = [answer_text(answer)]
            if steps and steps[-1].state:
                parts.append(f"last step: {one_line(steps[-1].state)}")
            if answer.read:
                files = ", ".join(shown_path(file, root) for file in answer.read)
                parts.append(f"read so far: {one_line(files)}")
            text = sanitize("\n\n".join(parts))
        os.write(stdout, f"{text}\n".encode())


def _save_task(folder: Path, answer: AskedAnswer, journal: Path) -> None:
    """Save the question and its answer as a task, if the answer was accepted."""
    if answer.exit_code:
        refusal = f"nothing is written to {folder}: no answer was accepted"
        say(f"--save-task: {refusal}", err=True)
        return
    save_task(folder, answer, journal)
    command = invocation("run", "--benchmark", f"folder:{folder}")
    say(f"saved as a task: {command}", err=True)
