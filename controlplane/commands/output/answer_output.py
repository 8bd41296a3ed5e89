"""What becomes of the answer to a question: it is printed and saved, and its changes are made."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from controlplane.commands.output.change_consent import ChangeConsent
from controlplane.commands.output.file_changes import REFUSED_CHANGE, offer_changes
from controlplane.commands.output.unfinished_answer import (
    unfinished_json,
    unfinished_text,
)
from controlplane.configuration.runs_folder import run_argument
from controlplane.gates.support.support_texts import unverified_in
from controlplane.journal.journal_reader import open_journal
from controlplane.program_invocation import invocation
from controlplane.questions.run import TASK
from controlplane.questions.saved_task import save_task
from controlplane.questions.scope import QuestionScope
from controlplane.terminal_text import say
from controlplane.view.answer.answer_object import answer_object
from controlplane.view.answer.answer_reading import asked_answer
from controlplane.view.answer.answer_text import answer_text
from controlplane.view.answer.asked_answer import AskedAnswer


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
    """A value in the answer that nothing supports makes the exit code 1."""
    applies: str | None = None
    """The changes that are made without asking, as in `ChangeConsent`."""

    @property
    def consent(self) -> ChangeConsent:
        return ChangeConsent(self.as_json, self.applies)

    def present(self, path: Path) -> int:
        """Print the answer in the journal at `path`, save it, and make its changes, as the user wants.

        Return the exit code.
        """
        with open_journal(path) as journal:
            answer = asked_answer(journal, self.scope.root)
            notices = journal.summary.notices
        if self.as_json:
            print(json.dumps(answer_object(answer, path, notices)))
        else:
            say(answer_text(answer), is_styled=True)

        if self.save_task is not None:
            _save_task(self.save_task, answer, path)
        code_of_changes = offer_changes(answer, self.scope, self.consent, path.parent)
        if not self.as_json and not self.quiet:
            replay = invocation("replay", run_argument(path), "--trial", TASK)
            say(f"next: {replay}", err=True)
        return self._exit_code(answer, code_of_changes)

    def _exit_code(self, answer: AskedAnswer, code_of_changes: int) -> int:
        """Return the first of these exit codes that applies (`code_of_changes` has 2, 4 or 5):

        1. That of the answer, if no answer was accepted.
        2. `REFUSED_CHANGE`, if a change that the user wants cannot be made.
        3. 1, if the answer has an unsupported value, and the user gave `--strict`.
        4. That of `ChangesProposed`, if nobody could be asked about changes.
        5. 0.
        """
        if answer.exit_code:
            return answer.exit_code
        if code_of_changes == REFUSED_CHANGE:
            return REFUSED_CHANGE
        if self.strict and unverified_in(answer.marks):
            return 1
        return code_of_changes

    def show_unfinished(self, path: Path, stdout: int) -> None:
        """Write the answer of a question that was stopped.

        A signal handler calls this. The signal may have interrupted a `print`, and another
        one would fail, so the text is written to the file descriptor `stdout`.
        """
        if self.as_json:
            text = unfinished_json(path, self.scope.root)
        else:
            text = unfinished_text(path, self.scope.root)
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
