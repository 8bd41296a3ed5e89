"""`controlplane ask` and `undo`: ask a question about files, print the answer with its citations, make the requested
changes, take them back."""

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
    SET_BOUND,
    TRUST,
    given,
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
"""The folder, in that of the journals, with files as they were before the last changes."""
STDIN: Final = "-"
REFUSED_CHANGE: Final = 1
"""The exit code if a change that the user wants cannot be made."""
WAIT_FOR_PIPE_S: Final = 2.0
"""How long a text on standard input may take to begin."""


@dataclass(frozen=True, slots=True)
class AskOptions:
    """The options of one call of the command that hold for each of its questions."""

    scope: QuestionScope
    applies: str | None = None
    """`shown` makes changes without asking, if none is too large to show; `unseen` makes those,
    too."""
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
    """Reads `--apply=unseen`, the one value of a flag."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        words = ["--apply-unseen" if word == "--apply=unseen" else word for word in args]
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
    flag_value="shown",
    help="Make the changes of --write without asking; =unseen also makes those too large to show.",
)
@click.option("--apply-unseen", "applies", flag_value="unseen", hidden=True)
@click.option("--continue", "continues", is_flag=True, help="Continue from your last question.")
@click.option("--strict", is_flag=True, help="Exit with 1 if a value in the answer is unverified.")
@SET_BOUND
@click.option(
    "--save-task", type=click.Path(path_type=Path), metavar="DIR", help="Save all as a task in DIR."
)
@tool_options
@TRUST
@QUIET
@AS_JSON
@settings_options("model_patience", default=f"{PATIENCE_S:g}")
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
    """Ask QUESTION about files and folders, by default the working folder, and print a cited answer.

    \b
      controlplane ask "Until when may loan-02 be kept?" docs/ --model qwen3:8b
      git log | controlplane ask "Who changed the parser?" - --model qwen3:8b
      controlplane ask --continue "And who before?"

    `-` is the text on standard input, which a pipe also gives if no source is named. Without
    QUESTION it prompts for questions until an empty line; each continues from the one before.
    """
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
    sources = _with_standard_input(
        sources, runs, may_read_pipe=bool(question), continues=continues, quiet=quiet
    )

    before = last_question(runs, is_trusted=is_trusted) if continues else None
    if before is not None and not sources and write is None:
        scope = recorded_scope(before)
    else:
        scope = question_scope(sources, write)
    asking = AskOptions(
        scope=scope,
        applies=applies,
        save_task=save_task,
        settings=given(options),
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
        code, _ = _ask(asking, question, before)
    else:
        code = _ask_until_empty_line(asking, before)
    raise SystemExit(code)


def _with_standard_input(
    sources: tuple[str, ...], runs: Path, *, may_read_pipe: bool, continues: bool, quiet: bool
) -> tuple[str, ...]:
    """Return the sources, with the file that keeps the text on standard input in place of `-`.

    A pipe is read without being named if there is no other source. Raises `UsageError` if `-` is
    named and there is no text.
    """
    if STDIN in sources:
        kept_input = keep_input(sys.stdin.buffer, runs)
        if not kept_input:
            msg = "-: there is no text on standard input"
            raise UsageError(msg)
        return tuple(kept_input if source == STDIN else source for source in sources)

    is_pipe = may_read_pipe and stat.S_ISFIFO(os.fstat(0).st_mode)
    if not is_pipe:
        return sources
    if not sources and not continues:
        has_text, _, _ = select.select([0], [], [], WAIT_FOR_PIPE_S)
        if has_text:
            kept_input = keep_input(sys.stdin.buffer, runs)
            return (kept_input,) if kept_input else ()
    if not quiet:
        say("standard input is not read; name it as a source: -", err=True)
    return sources


def _ask_until_empty_line(asking: AskOptions, before: Path | None) -> int:
    """Prompt for questions, each of which continues from the one before; return the last exit
    code."""
    code = 0
    with contextlib.suppress(EOFError):
        while True:
            text = input("? ").strip()
            if not text:
                break
            code, journal = _ask(asking, text, before)
            if journal.exists():  # a run that could not begin has no journal
                before = journal
    return code


def _ask(asking: AskOptions, text: str, before: Path | None) -> tuple[int, Path]:
    """Ask a question and print the answer. Return the exit code and the journal."""
    question = Question(text, asking.scope, asking.settings, asking.limits, before)
    resolved = question_settings(question)
    approve_servers = approve_on_terminal if asking.can_confirm else None
    plan = question_plan(
        question,
        resolved,
        tools=tool_access(dict(asking.tools), resolved.mcp, approve_servers),
        approve=approve_on_terminal,
    )
    own_stdout = os.dup(1)  # While a run is shown, standard output leads to stderr.

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
        code = settle(asking, run.journal.path)
    return code, run.journal.path


def settle(asking: AskOptions, path: Path) -> int:
    """Print the answer in a journal, make its changes, save its task; return the answer's exit
    code."""
    with open_journal(path) as journal:
        answer = asked_answer(journal, asking.scope.root)
        notices = journal.summary.notices
    if asking.as_json:
        print(json.dumps(answer_object(answer, path, notices)))
    else:
        say(answer_text(answer), is_styled=True)

    if asking.save_task is not None:
        _save_task(asking.save_task, answer, path)
    code_of_changes = _settle_changes(asking, answer, path)
    if not asking.as_json and not asking.quiet:
        say(f"next: {invocation('replay', run_argument(path), '--trial', TASK)}", err=True)

    if answer.exit_code:
        return answer.exit_code
    if code_of_changes == REFUSED_CHANGE:
        return code_of_changes
    if asking.strict and unverified_in(answer.marks):
        return 1
    return code_of_changes


def _show_unfinished(asking: AskOptions, path: Path, stdout: int) -> None:
    """Write what a question that is ended has found: its last step, and the files that it read."""
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
            names = ", ".join(shown_path(read, asking.scope.root) for read in answer.read)
            lines.append(f"read so far: {one_line(names)}")
        text = sanitize("\n\n".join(lines))
    # `print` must not be used here: the signal may have interrupted another `print`.
    os.write(stdout, f"{text}\n".encode())


def _save_task(folder: Path, answer: AskedAnswer, journal: Path) -> None:
    """Save the question and its answer as a task, if the answer was accepted."""
    if answer.exit_code:
        say(f"--save-task: nothing is written to {folder}: no answer was accepted", err=True)
        return
    save_task(folder, answer, journal)
    say(f"saved as a task: {invocation('run', '--benchmark', f'folder:{folder}')}", err=True)


# Changes


def _settle_changes(asking: AskOptions, answer: AskedAnswer, journal: Path) -> int:
    """Show the changes that the scripts proposed, and make those that can be made if the user
    wants them. Return the exit code: `REFUSED_CHANGE` if one was refused, that of
    `ChangesProposed` if nobody could be asked."""
    proposed = proposed_changes(answer, asking.scope)
    unseen_names = []
    for path, change in proposed.possible.items():
        name = shown_path(path, asking.scope.root)
        diff = file_diff(name, change)
        if not diff.is_whole:
            unseen_names.append(visible_name(name))
        if not asking.as_json:
            say(f"\n{diff.text}", is_styled=True)

    if not proposed.possible and not proposed.refused:
        return 0
    if answer.exit_code:
        say("nothing is written: no answer was accepted", err=True)
        return 0
    code = 0
    if proposed.possible:
        if _wants_changes(asking, unseen_names):
            _make_possible(proposed, journal.parent / OLD_VERSIONS)
        else:
            _say_unwritten(unseen_names)
            if not asking.can_confirm:
                code = ChangesProposed.exit_code
    for place, reason in proposed.refused.items():
        say(f"not written: {visible_name(str(place))}: {reason}", err=True)
    return REFUSED_CHANGE if proposed.refused else code


def _say_unwritten(unseen_names: list[str]) -> None:
    """Say that the changes are only proposed, and what would make them."""
    if unseen_names:
        names = ", ".join(unseen_names)
        remedy = f"ask with --apply=unseen to make changes that cannot be shown ({names})"
    else:
        remedy = "ask with --apply to make the changes without being asked"
    say(f"proposed; nothing is written; {remedy}", err=True)


def _make_possible(proposed: ProposedChanges, kept: Path) -> None:
    """Make the proposed changes. One that turns out to be impossible is taken out, and the others
    are made without it."""
    while proposed.possible:
        try:
            make_and_say(proposed.possible, kept)
        except ChangeRefused as refusal:
            if not proposed.refuse(refusal):
                raise
        else:
            return


def _wants_changes(asking: AskOptions, unseen_names: list[str]) -> bool:
    """Say whether the user wants the changes, by an option or when asked."""
    if asking.applies == "unseen":
        return True
    if asking.applies and not unseen_names:
        return True
    if not asking.can_confirm:
        return False
    prompt = "Make these changes"
    if unseen_names:
        prompt += f", {', '.join(unseen_names)} unseen"
    return click.confirm(f"{prompt}?", err=True)


def make_and_say(changes: Mapping[str, FileChange], kept: Path) -> None:
    """Make changes, keep the old versions in the folder `kept`, and say which files changed."""
    make_changes(changes, kept)
    written = []
    deleted = []
    for path, change in changes.items():
        name = visible_name(shown_path(path, change.root))
        if change.after is None:
            deleted.append(name)
        else:
            written.append(name)
    if written:
        say(f"written: {', '.join(written)}", err=True)
    if deleted:
        say(f"deleted: {', '.join(deleted)}", err=True)
    if kept.exists():
        words = ["undo"]
        if kept.parent != runs_folder(None):
            words += ["--runs-dir", str(kept.parent)]
        place = f"old versions, until the next change: {kept}"
        say(f"{place}; {invocation(*words)} takes the change back", err=True)


@click.command("undo")
@click.option("--apply", "applies", is_flag=True, help="Undo without asking.")
@settings_options("runs_dir")
def undo_command(*, applies: bool, runs_dir: str | None) -> None:
    """Take back the last changes that `ask --write` made, after showing them; done twice, it makes
    them again."""
    kept = runs_folder(runs_dir) / OLD_VERSIONS
    finish_changes(kept)
    changes = undoing_changes(kept)
    for path, change in changes.items():
        diff = file_diff(shown_path(path, change.root), change)
        say(f"\n{diff.text}", is_styled=True)

    is_wanted = applies
    if not applies and sys.stdin.isatty():
        is_wanted = click.confirm("Undo the last changes so?", err=True)
        if not is_wanted:
            say("nothing is written", err=True)
            return
    if not is_wanted:
        msg = "proposed; nothing is written; --apply undoes the changes without asking"
        raise ChangesProposed(msg)
    make_and_say(changes, kept)
