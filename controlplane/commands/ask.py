"""`controlplane ask` and `undo`: ask a question about files, print the answer with its
citations, make the requested changes, take them back."""

from __future__ import annotations

import contextlib
import json
import os
import select
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import click

from controlplane.commands.options import (
    AS_JSON,
    QUIET,
    SOURCE_LIMITS,
    TRUST,
    given_options,
    settings_options,
    tool_options,
)
from controlplane.configuration.config_file import run_argument, runs_folder
from controlplane.configuration.run_settings import Use, settings_with
from controlplane.errors import ChangesProposed, UsageError, invocation
from controlplane.gates.support.footnotes import unverified_in
from controlplane.journal.journal_reader import open_journal
from controlplane.lifecycle.new_run import conduct_new
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.mcp.server_specs import tool_access
from controlplane.questions import (
    PATIENCE_S,
    TASK,
    ProposedChanges,
    Question,
    QuestionScope,
    keep_input,
    last_question,
    proposed_changes,
    question_plan,
    question_scope,
    question_settings,
    recorded_scope,
)
from controlplane.saved_task import check_task_folder, save_task
from controlplane.terminal_text import one_line, sanitize, say
from controlplane.text_files import (
    ChangeRefused,
    FileChange,
    finish_changes,
    make_changes,
    undoing_changes,
)
from controlplane.view.answer_text import answer_object, answer_text
from controlplane.view.approval import approve_on_terminal
from controlplane.view.asked_answer import AskedAnswer, asked_answer, shown_path
from controlplane.view.file_diff import file_diff, visible_name
from controlplane.view.question_display import QuestionDisplay
from controlplane.view.run_display import RunView

OLD_VERSIONS: Final = ".old-versions"
"""The folder beside the journals that keeps the files of the last changes, as they were
before."""
STDIN: Final = "-"
"""The source that stands for the text on standard input."""
SHOWN_CHANGES: Final = "shown"
"""`--apply`: make the changes if every diff can be shown whole."""
ALL_CHANGES: Final = "unseen"
"""`--apply=unseen`: make even changes that are too large to show."""
REFUSED_CHANGE: Final = 1
"""The exit code if a change that the user wants cannot be made."""
STDIN_DESCRIPTOR: Final = 0
WAIT_FOR_PIPE_S: Final = 2.0
"""How long a text on standard input may take to begin."""


@dataclass(frozen=True, slots=True)
class AskOptions:
    """The options of one call of the command that hold for each of its questions."""

    scope: QuestionScope
    """The files that the questions are about, and the folder that may be changed."""
    applies: str | None = None
    """Which changes are made without asking: `SHOWN_CHANGES`, `ALL_CHANGES`, or None of
    them."""
    save_task: Path | None = None
    settings: Mapping[str, object] = field(default_factory=dict)
    tools: Mapping[str, Any] = field(default_factory=dict)
    """The values of the options that name MCP servers."""
    limits: Mapping[str, str] = field(default_factory=dict)
    """Options of the benchmark that bound its sources."""
    quiet: bool = False
    as_json: bool = False
    strict: bool = False
    """A value in the answer that nothing supports makes the exit code 1."""

    @property
    def can_confirm(self) -> bool:
        """Whether the user can be asked about changes."""
        return sys.stdin.isatty() and not self.as_json


class _AskCommand(click.Command):
    """Accepts `--apply=unseen` beside `--apply`.

    A flag of click takes no value, so `--apply=unseen` becomes the hidden flag
    `--apply-unseen`.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        words = [
            "--apply-unseen" if word == "--apply=unseen" else word for word in args
        ]
        return super().parse_args(ctx, words)


@click.command("ask", cls=_AskCommand)
@click.argument("question", required=False)
@click.argument("sources", nargs=-1, type=click.Path(), metavar="[FILE_OR_FOLDER]...")
@settings_options("model", "base_url")
@click.option(
    "--write",
    "write",
    type=click.Path(),
    metavar="DIR",
    help="Allow changes below DIR, shown as a diff first.",
)
@click.option(
    "--apply",
    "applies",
    flag_value=SHOWN_CHANGES,
    help="Make the changes of --write without asking; =unseen also makes those too large to show.",
)
@click.option("--apply-unseen", "applies", flag_value=ALL_CHANGES, hidden=True)
@click.option(
    "--continue", "continues", is_flag=True, help="Continue from your last question."
)
@click.option(
    "--strict", is_flag=True, help="Exit with 1 if a value in the answer is unverified."
)
@SOURCE_LIMITS
@click.option(
    "--save-task",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Save all as a task in DIR.",
)
@tool_options
@TRUST
@QUIET
@AS_JSON
@settings_options("model_patience", shown_default=f"{PATIENCE_S:g}")
@settings_options(*settings_with(Use.ASK))
def ask_command(
    question: str | None,
    sources: tuple[str, ...],
    *,
    write: str | None,
    applies: str | None,
    continues: bool,
    save_task: Path | None,
    strict: bool,
    pairs: dict[str, str],
    tools: dict[str, Any],
    is_trusted: bool,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Ask QUESTION about files and folders, by default the working folder, and print a
    cited answer.

    \b
      controlplane ask "Until when may loan-02 be kept?" docs/ --model qwen3:8b
      git log | controlplane ask "Who changed the parser?" - --model qwen3:8b
      controlplane ask --continue "And who before?"

    `-` is the text on standard input, which a pipe also gives if no source is named.
    Without QUESTION it prompts for questions until an empty line; each continues from
    the one before.
    """
    # `ask docs/` names a source, and prompts for the questions.
    if question and not sources and not continues and Path(question).exists():
        sources = (question,)
        question = None
    if applies and not write:
        msg = "--apply needs --write DIR, the folder that may be changed"
        raise UsageError(msg)
    if save_task is not None:
        check_task_folder(save_task)

    runs = runs_folder(options.get("runs_dir"))
    if finish_changes(runs / OLD_VERSIONS):
        text = "the changes of an earlier question, which was ended while they were made, are "
        say(f"{text}finished", err=True)
    if STDIN in sources:
        sources = _with_named_input(sources, runs)
    elif question and stat.S_ISFIFO(os.fstat(STDIN_DESCRIPTOR).st_mode):
        # Without a question, the pipe holds the question itself, and is read below.
        sources = _with_piped_input(sources, runs, continues=continues, quiet=quiet)

    previous = last_question(runs, is_trusted=is_trusted) if continues else None
    if previous is not None and not sources and write is None:
        scope = recorded_scope(previous)
    else:
        scope = question_scope(sources, write)
    asking = AskOptions(
        scope=scope,
        applies=applies,
        save_task=save_task,
        settings=given_options(options),
        tools=tools,
        limits=pairs,
        quiet=quiet,
        as_json=as_json,
        strict=strict,
    )

    if not question and not sys.stdin.isatty():
        question = sys.stdin.read().strip()
        if not question:
            msg = f"what is the question? {invocation('ask')} QUESTION [FILE_OR_FOLDER]..."
            raise UsageError(msg)
    if question:
        code, _ = _ask(asking, question, previous)
    else:
        code = _ask_until_empty_line(asking, previous)
    raise SystemExit(code)


def _with_named_input(sources: tuple[str, ...], runs: Path) -> tuple[str, ...]:
    """Return the sources with a file in place of `-` that keeps the text on standard
    input.

    Raises `UsageError` if there is no text.
    """
    input_file = keep_input(sys.stdin.buffer, runs)
    if not input_file:
        msg = "-: there is no text on standard input"
        raise UsageError(msg)
    return tuple(input_file if source == STDIN else source for source in sources)


def _with_piped_input(
    sources: tuple[str, ...], runs: Path, *, continues: bool, quiet: bool
) -> tuple[str, ...]:
    """Return the sources of a question if standard input is a pipe, and `-` is not
    named.

    - If there are no sources, the text of the pipe becomes the source. It has to begin
      within `WAIT_FOR_PIPE_S`, because a program may have started this one with a pipe
      that stays empty.
    - If there are sources, or those of the previous question, the pipe is not read, and
      a message says so.
    """
    if not sources and not continues:
        readable, _, _ = select.select([STDIN_DESCRIPTOR], [], [], WAIT_FOR_PIPE_S)
        if readable:
            input_file = keep_input(sys.stdin.buffer, runs)
            return (input_file,) if input_file else ()
    if not quiet:
        say("standard input is not read; name it as a source: -", err=True)
    return sources


def _ask_until_empty_line(asking: AskOptions, previous: Path | None) -> int:
    """Prompt for questions, each of which continues from the one before.

    `previous` is the journal of the question before the first one. Returns the last
    exit code.
    """
    code = 0
    with contextlib.suppress(EOFError):
        while True:
            text = input("? ").strip()
            if not text:
                break
            code, journal = _ask(asking, text, previous)
            if journal.exists():  # a run that could not begin has no journal
                previous = journal
    return code


def _ask(asking: AskOptions, text: str, previous: Path | None) -> tuple[int, Path]:
    """Ask a question, after the one in the journal `previous`, and print the answer.

    Return the exit code and the journal.
    """
    question = Question(text, asking.scope, asking.settings, asking.limits, previous)
    resolved = question_settings(question)
    approve_servers = approve_on_terminal if asking.can_confirm else None
    plan = question_plan(
        question,
        resolved,
        tools=tool_access(dict(asking.tools), resolved.mcp, approve_servers),
        approve=approve_on_terminal,
    )
    # While a run is shown, descriptor 1 leads to standard error, so that nothing is
    # printed between the answers. An unfinished answer is written to this copy of the
    # real standard output.
    own_stdout = os.dup(1)

    def show_unfinished(run: Run) -> None:
        _show_unfinished(asking, run.journal.path, own_stdout)

    view = RunView(
        quiet=asking.quiet,
        as_json=asking.as_json,
        reports=False,
        display=QuestionDisplay,
        on_terminated=show_unfinished,
    )
    try:
        run, code = conduct_new(plan, view)
    finally:
        os.close(own_stdout)
    if code == 0:
        code = present_answer(asking, run.journal.path)
    return code, run.journal.path


def present_answer(asking: AskOptions, path: Path) -> int:
    """Print the answer in a journal, save it as a task and make its changes, as the
    user wants.

    Return the exit code: the first of these that applies.

    1. That of the answer, if no answer was accepted.
    2. `REFUSED_CHANGE`, if a change that the user wants cannot be made.
    3. 1, if the answer has an unsupported value, and the user gave `--strict`.
    4. That of `ChangesProposed`, if changes were not made because nobody could be
       asked.
    """
    with open_journal(path) as journal:
        answer = asked_answer(journal, asking.scope.root)
        notices = journal.summary.notices
    if asking.as_json:
        print(json.dumps(answer_object(answer, path, notices)))
    else:
        say(answer_text(answer), is_styled=True)

    if asking.save_task is not None:
        _save_task(asking.save_task, answer, path)
    code_of_changes = _handle_changes(asking, answer, path)
    if not asking.as_json and not asking.quiet:
        say(
            f"next: {invocation('replay', run_argument(path), '--trial', TASK)}",
            err=True,
        )

    if answer.exit_code:
        return answer.exit_code
    if code_of_changes == REFUSED_CHANGE:
        return REFUSED_CHANGE
    if asking.strict and unverified_in(answer.marks):
        return 1
    return code_of_changes


def _show_unfinished(asking: AskOptions, path: Path, stdout: int) -> None:
    """Write the answer of a question that was stopped, its last step, and the files it
    read."""
    with open_journal(path) as journal:
        answer = asked_answer(journal, asking.scope.root)
        notices = journal.summary.notices
        (trial,) = journal.trials.values()
        steps = trial.record.steps
    if asking.as_json:
        text = json.dumps(answer_object(answer, path, notices))
    else:
        lines = [answer_text(answer)]
        if steps and steps[-1].state:
            lines.append(f"last step: {one_line(steps[-1].state)}")
        if answer.read:
            names = ", ".join(
                shown_path(read, asking.scope.root) for read in answer.read
            )
            lines.append(f"read so far: {one_line(names)}")
        text = sanitize("\n\n".join(lines))
    # `print` must not be used here: the signal may have interrupted another `print`.
    os.write(stdout, f"{text}\n".encode())


def _save_task(folder: Path, answer: AskedAnswer, journal: Path) -> None:
    """Save the question and its answer as a task, if the answer was accepted."""
    if answer.exit_code:
        say(
            f"--save-task: nothing is written to {folder}: no answer was accepted",
            err=True,
        )
        return
    save_task(folder, answer, journal)
    say(
        f"saved as a task: {invocation('run', '--benchmark', f'folder:{folder}')}",
        err=True,
    )


# Changes


def _handle_changes(asking: AskOptions, answer: AskedAnswer, journal: Path) -> int:
    """Show the changes that the scripts proposed, and make those that the user wants.

    Return the exit code:

    - `REFUSED_CHANGE`: one of the changes cannot be made.
    - That of `ChangesProposed`: changes were not made, because nobody could be asked.
    - 0: the user has decided, or there is nothing to decide: no changes, or no accepted
      answer.
    """
    proposed = proposed_changes(answer, asking.scope)
    unseen_names = _show_changes(asking, proposed)
    if not proposed.possible and not proposed.refused:
        return 0
    if answer.exit_code:
        say("nothing is written: no answer was accepted", err=True)
        return 0

    is_undecided = False
    if proposed.possible:
        if _wants_changes(asking, unseen_names):
            _make_possible_changes(proposed, journal.parent / OLD_VERSIONS)
        else:
            _say_unwritten(unseen_names)
            is_undecided = not asking.can_confirm
    for place, reason in proposed.refused.items():
        say(f"not written: {visible_name(str(place))}: {reason}", err=True)
    if proposed.refused:
        return REFUSED_CHANGE
    if is_undecided:
        return ChangesProposed.exit_code
    return 0


def _show_changes(asking: AskOptions, proposed: ProposedChanges) -> list[str]:
    """Show the diff of each possible change.

    Return the names of the files whose diffs are too large to be shown whole.
    """
    unseen_names = []
    for path, change in proposed.possible.items():
        name = shown_path(path, asking.scope.root)
        diff = file_diff(name, change)
        if not diff.is_whole:
            unseen_names.append(visible_name(name))
        if not asking.as_json:
            say(f"\n{diff.text}", is_styled=True)
    return unseen_names


def _say_unwritten(unseen_names: list[str]) -> None:
    """Say that the changes are only proposed, and what would make them.

    `unseen_names` are the files whose changes are too large to show.
    """
    if unseen_names:
        names = ", ".join(unseen_names)
        remedy = (
            f"ask with --apply=unseen to make changes that cannot be shown ({names})"
        )
    else:
        remedy = "ask with --apply to make the changes without being asked"
    say(f"proposed; nothing is written; {remedy}", err=True)


def _make_possible_changes(proposed: ProposedChanges, old_versions: Path) -> None:
    """Make the possible changes.

    If one of them turns out to be impossible, none is made. It is then moved to the
    refused changes, and the others are tried again without it.
    """
    while proposed.possible:
        try:
            make_and_say(proposed.possible, old_versions)
        except ChangeRefused as refusal:
            was_moved = proposed.refuse(refusal)
            if not was_moved:
                raise
        else:
            return


def _wants_changes(asking: AskOptions, unseen_names: list[str]) -> bool:
    """Return True if the user wants the changes, by an option or when asked.

    `unseen_names` are the files whose changes are too large to show.
    """
    if asking.applies == ALL_CHANGES:
        return True
    if asking.applies == SHOWN_CHANGES and not unseen_names:
        return True
    if not asking.can_confirm:
        return False
    prompt = "Make these changes"
    if unseen_names:
        prompt += f", {', '.join(unseen_names)} unseen"
    return click.confirm(f"{prompt}?", err=True)


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
        undo_words = ["undo"]
        runs = old_versions.parent
        if runs != runs_folder(None):
            undo_words += ["--runs-dir", str(runs)]
        place = f"old versions, until the next change: {old_versions}"
        say(f"{place}; {invocation(*undo_words)} takes the change back", err=True)


@click.command("undo")
@click.option("--apply", "applies", is_flag=True, help="Undo without asking.")
@settings_options("runs_dir")
def undo_command(*, applies: bool, runs_dir: str | None) -> None:
    """Take back the last changes that `ask --write` made, after showing them; done
    twice, it makes them again."""
    old_versions = runs_folder(runs_dir) / OLD_VERSIONS
    # If a process was killed while it made changes, the remaining ones come first.
    finish_changes(old_versions)
    changes = undoing_changes(old_versions)
    for path, change in changes.items():
        diff = file_diff(shown_path(path, change.root), change)
        say(f"\n{diff.text}", is_styled=True)

    if not applies:
        if not sys.stdin.isatty():
            msg = "proposed; nothing is written; --apply undoes the changes without asking"
            raise ChangesProposed(msg)
        if not click.confirm("Undo the last changes so?", err=True):
            say("nothing is written", err=True)
            return
    # Undoing is a change, too: it replaces the old versions, so that `undo` can be
    # undone.
    make_and_say(changes, old_versions)
