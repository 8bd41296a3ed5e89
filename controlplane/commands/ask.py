"""`controlplane ask`: ask a question about files; `controlplane undo`: take back the last changes to files."""

from __future__ import annotations

import contextlib
import hashlib
import os
import select
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

import click

from controlplane.commands.arguments.options import (
    AS_JSON,
    QUIET,
    SOURCE_LIMITS,
    TRUST,
    tool_options,
)
from controlplane.commands.arguments.setting_options import (
    given_options,
    settings_options,
)
from controlplane.commands.output import (
    ALL_CHANGES,
    OLD_VERSIONS,
    SHOWN_CHANGES,
    AnswerOutput,
    make_and_say,
    show_changes,
)
from controlplane.configuration.model_settings import Use
from controlplane.configuration.run_names import runs_folder
from controlplane.configuration.run_settings import settings_with
from controlplane.errors import ChangesProposed, UsageError
from controlplane.file_changes import finish_changes, undoing_changes
from controlplane.lifecycle.conducting import conduct_new
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.lifecycle.run_plan import RunPlan
from controlplane.program_invocation import invocation
from controlplane.questions import (
    PATIENCE_S,
    Question,
    check_task_folder,
    last_question,
    question_plan,
    question_scope,
    recorded_scope,
)
from controlplane.sandbox.files import write_whole
from controlplane.terminal_text import say
from controlplane.view.progress import RunView, approve_on_terminal, question_display

# The text on standard input, as a source of a question.

_STDIN: Final = "-"
"""The source that stands for the text on standard input."""
_STDIN_DESCRIPTOR: Final = 0
_WAIT_FOR_PIPE_S: Final = 2.0
"""How long a text on standard input may take to begin.
It may never begin: the program that started this one may have left a pipe open."""


def _with_named_input(sources: tuple[str, ...], runs: Path) -> tuple[str, ...]:
    """Return the sources with a file in place of `-` that keeps the text on standard input.

    Raises `UsageError` if there is no text.
    """
    file = _keep_input(sys.stdin.buffer, runs)
    if not file:
        msg = "-: there is no text on standard input"
        raise UsageError(msg)
    return tuple(file if source == _STDIN else source for source in sources)


def _piped_source(runs: Path) -> tuple[str, ...] | None:
    """Return the sources that the pipe gives: the file that keeps its text.

    There is none if the text is empty. Returns None if no text has come in time, so that it is
    unknown whether there is one.
    """
    readable, _, _ = select.select([_STDIN_DESCRIPTOR], [], [], _WAIT_FOR_PIPE_S)
    if not readable:
        return None
    file = _keep_input(sys.stdin.buffer, runs)
    return (file,) if file else ()


def _keep_input(stream: BinaryIO, runs: Path) -> str:
    """Write the text of a stream to a file named by the text's hash, and return the file's path.

    The path is empty if there is no text.
    """
    data = stream.read()
    if not data.strip():
        return ""
    folder = runs / "standard-input"
    place = folder / f"{hashlib.sha256(data).hexdigest()[:12]}.txt"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_whole(place, data, folder, mode=0o600)
    return str(place)


# `controlplane ask`: answers a question about files, with citations.
#
# It also makes the changes that the question asks for, if the user agrees.

# The questions that one start of `controlplane ask` asks, each of which continues from the last.
#
# A question is conducted as a run with one trial. Its answer is read from the run's journal, and the
# next question gets that journal, so that it knows what was asked and answered.


@dataclass(slots=True)
class _AskConversation:
    """The questions that one start of the command asks. Each continues from the one before."""

    output: AnswerOutput
    """Prints the answers. It also knows which files the questions are about."""
    settings: Mapping[str, object]
    """The settings of runs that the user gave: `{"model": "qwen3:8b"}`."""
    tools: Mapping[str, Any]
    """The values of the options that name MCP servers."""
    limits: Mapping[str, str]
    """Options of the benchmark that bound its sources."""
    previous: Path | None = None
    """The journal of the question before the next one."""

    def ask_until_empty_line(self) -> int:
        """Prompt for questions. Return the last exit code."""
        code = 0
        with contextlib.suppress(EOFError):
            while True:
                text = input("? ").strip()
                if not text:
                    break
                code = self.ask(text)
        return code

    def ask(self, text: str) -> int:
        """Ask a question and print the answer. Return the exit code."""
        scope = self.output.scope
        question = Question(text, scope, self.settings, self.limits, self.previous)
        run, code = self._conduct(
            question_plan(
                question,
                self.tools,
                approve=approve_on_terminal,
                approve_tools=approve_on_terminal if self.output.can_ask else None,
            )
        )
        journal = run.journal.path
        if code == 0:
            code = self.output.present(journal)
        if journal.exists():  # a run that could not begin has no journal
            self.previous = journal
        return code

    def _conduct(self, plan: RunPlan) -> tuple[Run, int]:
        """Conduct the run of a question, and return it with its exit code."""
        # While a run is shown, file descriptor 1 leads to standard error, so that only
        # answers are on standard output. An unfinished answer is written to this copy of
        # the real standard output.
        stdout = os.dup(1)

        def show_unfinished(run: Run) -> None:
            self.output.show_unfinished(run.journal.path, stdout)

        view = RunView(
            quiet=self.output.quiet,
            as_json=self.output.as_json,
            reports=False,
            display=question_display,
            on_terminated=show_unfinished,
        )
        try:
            return conduct_new(plan, view)
        finally:
            os.close(stdout)


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
    "--strict",
    is_flag=True,
    help="Exit with 1 if a value in the answer is unverified, or no passage supports it.",
)
@click.option(
    "--why",
    default="",
    metavar="VALUE",
    help="Say how VALUE of the answer was judged; without a question, of your last answer.",
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
    why: str,
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
    # Finish the changes of an earlier question, if it was ended while they were made.
    if finish_changes(runs / OLD_VERSIONS):
        say(
            "the changes of an earlier question, which was ended while they were made, "
            "are finished",
            err=True,
        )
    if _STDIN in sources:
        sources = _with_named_input(sources, runs)
    elif question and stat.S_ISFIFO(os.fstat(_STDIN_DESCRIPTOR).st_mode):
        # The pipe is text about which the question asks. If there is no question, the
        # pipe holds the question itself, and is read below.
        has_sources = bool(sources) or continues
        piped = None if has_sources else _piped_source(runs)
        if piped is not None:
            sources = piped
        elif not quiet:
            say("standard input is not read; name it as a source: -", err=True)

    if why and not question:
        journal = last_question(runs, is_trusted=is_trusted)
        AnswerOutput(recorded_scope(journal), why=why).explain(journal)
        return

    previous = last_question(runs, is_trusted=is_trusted) if continues else None
    scope = question_scope(sources, write, previous)
    output = AnswerOutput(scope, quiet, as_json, save_task, strict, applies, why)
    conversation = _AskConversation(
        output, given_options(options), tools, pairs, previous
    )

    if not question and not sys.stdin.isatty():
        # The question on standard input. Raises `UsageError` if there is none.
        question = sys.stdin.read().strip()
        if not question:
            usage = f"{invocation('ask')} QUESTION [FILE_OR_FOLDER]..."
            msg = f"what is the question? {usage}"
            raise UsageError(msg)
    if question:
        code = conversation.ask(question)
    else:
        code = conversation.ask_until_empty_line()
    raise SystemExit(code)


# `controlplane undo`: take back the last changes to files.


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
    show_changes(changes)
    if not applies:
        if not sys.stdin.isatty():
            msg = "proposed; nothing is written; --apply undoes the changes without asking"
            raise ChangesProposed(msg)
        if not click.confirm("Undo the last changes so?", err=True):
            say("nothing is written", err=True)
            return
    # Undoing is a change, too: it replaces the old versions, so that `undo` can be undone.
    make_and_say(changes, old_versions)
