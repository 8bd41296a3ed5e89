"""`controlplane ask`: ask a question about files, print the answer with its citations, make the requested changes.

Every question is a run of the benchmark `files` with one trial.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
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

from controlplane.agent.events import now_ms
from controlplane.agent.loop import FOLDER, read_text
from controlplane.benchmark import BenchmarkContext
from controlplane.commands.options import (
    AS_JSON,
    PROMPT,
    QUIET,
    SET_BOUND,
    TRUST,
    approve_on_terminal,
    given,
    last_journal,
    settings_options,
    tool_options,
)
from controlplane.commands.run import FreshRun, PlainDisplay, RunView, see_through
from controlplane.configuration.named_modules import open_benchmark
from controlplane.configuration.run_settings import (
    PROFILE,
    Resolved,
    check_own,
    resolve,
    run_argument,
    runs_folder,
)
from controlplane.errors import UsageError, invocation
from controlplane.gates.marks import unverified_in
from controlplane.journal.journal_lines import newest_first
from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.journal.run_events import ParentRun
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.lifecycle.run_resources import RunSpec, prompts_named_by
from controlplane.mcp.server_specs import tool_access
from controlplane.sandbox.files import sha256_of, write_whole
from controlplane.sandbox.interface import bounds
from controlplane.terminal_text import clock_text, one_line, say, spent_texts
from controlplane.text_files import (
    ChangeRefused,
    FileChange,
    finish_changes,
    make_changes,
    undoing_changes,
)
from controlplane.view.answer_text import answer_object, answer_text
from controlplane.view.asked_answer import AskedAnswer, asked_answer, shown_path
from controlplane.view.file_diff import file_diff, visible_name

ENDPOINT: Final = ("model", "base_url", "api")
"""Settings that are kept together from one question to the next."""
NAME: Final = "files"
TASK: Final = "ask"
STOPPING: Final = "stopping after this step; Ctrl-C again stops at once"
SETTINGS: Final = (
    *(
        "api",
        "reply_mode",
        "reasoning_effort",
        "temperature",
        "max_output_tokens",
        "max_context_tokens",
    ),
    *(
        "model_timeout",
        "prices",
        "prompt",
        "hints",
        "role",
        "agent",
        "parts",
        "gates",
        "rule_sets",
        "provenance",
    ),
    *("fallback", "max_steps", "trial_time", "step_time", "initial_prompt_chars"),
    *("isolation", "cache", "run_cost", "run_time"),
    *("max_tokens_run", "runs_dir", "name"),
)
OLD_VERSIONS: Final = ".old-versions"
STDIN: Final = "-"
PATIENCE_S: Final = 30.0


@dataclass(frozen=True, slots=True)
class Asking:
    """The options of one call of the command, without the question."""

    root: Path
    only: tuple[str, ...]
    write: str
    """The folder below the root that scripts may write; empty for none."""
    applies: str | None = None
    """`shown` makes changes without asking, if none is too large to show; `unseen` makes those, too."""
    save_task: Path | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    tools: Mapping[str, Any] = field(default_factory=dict)
    """The values of the options that name MCP servers."""
    quiet: bool = False
    as_json: bool = False
    strict: bool = False
    """A claim of the answer that nothing supports makes the exit code 1."""
    limits: Mapping[str, str] = field(default_factory=dict)
    """Options of the benchmark that bound its sources."""


class _AskCommand(click.Command):
    """Reads `--apply=unseen`, the one value of a flag."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(
            ctx, ["--apply-unseen" if word == "--apply=unseen" else word for word in args]
        )


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
@settings_options(*SETTINGS)
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

    `-` is the text on standard input, which a pipe also gives if no source is named. Without QUESTION it prompts for
    questions until an empty line; each continues from the one before.
    """
    if question and not sources and not continues and Path(question).exists():
        sources = (question,)
        question = None
    if applies and not write:
        msg = "--apply needs --write DIR, the folder that may be changed"
        raise UsageError(msg)
    kept_in = runs_folder(str(options["runs_dir"]) if options.get("runs_dir") else None)
    if finish_changes(kept_in / OLD_VERSIONS):
        say(
            "the changes of an earlier question, which was ended while they were made, are finished",
            err=True,
        )
    is_piped = bool(question) and stat.S_ISFIFO(os.fstat(0).st_mode)
    if (
        is_piped and not sources and not continues and select.select([0], [], [], 2.0)[0]
    ):  # text may take a while
        sources = (*filter(None, [_kept_stdin(kept_in)]),)
    elif is_piped and STDIN not in sources and not quiet:
        say("standard input is not read; name it as a source: -", err=True)
    if STDIN in sources:
        if not (kept := _kept_stdin(kept_in)):
            msg = "-: there is no text on standard input"
            raise UsageError(msg)
        sources = tuple(kept if source == STDIN else source for source in sources)
    before = _last_question(kept_in, is_trusted=is_trusted) if continues else None
    asking = Asking(
        *_asked_of(sources, write, before),
        applies,
        save_task,
        given(options),
        tools,
        quiet,
        as_json,
        strict,
        pairs,
    )
    if not (question or sys.stdin.isatty() or (question := sys.stdin.read().strip())):
        msg = "what is the question? controlplane ask QUESTION [FILE_OR_FOLDER]..."
        raise UsageError(msg)
    if question:
        raise SystemExit(ask(asking, question, before)[0])
    code = 0
    with contextlib.suppress(EOFError):
        while text := input("? ").strip():
            code, path = ask(asking, text, before)
            before = (
                path if path.exists() else before
            )  # A run that could not begin leaves no journal.
    raise SystemExit(code)


def _kept_stdin(runs: Path) -> str:
    """Write the text on standard input to a file that its hash names; return its path, empty if there is no text."""
    data = sys.stdin.buffer.read()
    if not data.strip():
        return ""
    folder = runs / "standard-input"
    place = folder / f"{hashlib.sha256(data).hexdigest()[:12]}.txt"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_whole(place, data, folder, mode=0o600)
    return str(place)


def _asked_of(
    sources: tuple[str, ...], write: str | None, before: Path | None
) -> tuple[Path, tuple[str, ...], str]:
    """Return the folder that holds all named sources, the sources in it, and the folder that may be written.

    Raises `UsageError`.
    """
    if before is not None and not sources and write is None:
        return recorded_sources(before)
    places = [Path(os.path.realpath(Path(one).expanduser())) for one in sources or (".",)]
    target = Path(os.path.realpath(Path(write).expanduser())) if write else None
    if target is not None and target.exists() and not target.is_dir():
        msg = f"--write {write}: it is a file; name a folder"
        raise UsageError(msg)
    folders = [place if place.is_dir() else place.parent for place in places] + (
        [target] if target else []
    )
    root = Path(os.path.commonpath(folders))
    only = () if places == [root] else tuple(str(place.relative_to(root)) for place in places)
    if (
        target is not None
        and target.is_dir()
        and not any(target.is_relative_to(place) for place in places)
    ):
        only = (*only, str(target.relative_to(root)))
    return root, only, str(target.relative_to(root)) if target else ""


def recorded_sources(path: Path) -> tuple[Path, tuple[str, ...], str]:
    """Return what `_asked_of` returned for the question of a journal."""
    with open_journal(path) as journal:
        options = _options_of(journal)
        root = Path(str(journal.setting("benchmark")).partition(":")[2])
    return root, tuple(json.loads(options.get("only") or "[]")), options.get("write", "")


def _options_of(journal: Journal) -> dict[str, str]:
    """Return the options of the benchmark with which a journal's question was asked."""
    options = journal.setting("set")
    return (
        {name: str(value) for name, value in options.items()} if isinstance(options, dict) else {}
    )


def ask(asking: Asking, question: str, before: Path | None = None) -> tuple[int, Path]:
    """Ask the question and print the answer. Return the exit code and the journal."""
    if (task := asking.save_task) and task.exists() and (not task.is_dir() or any(task.iterdir())):
        msg = f"--save-task {task}: it is not an empty folder; name a new one"
        raise UsageError(msg)
    resolved = _resolved(asking, question, before)
    settings = resolved.settings
    prompts = prompts_named_by(settings)
    own = read_text(FOLDER / "ask.md")
    prompts = prompts.model_copy(
        update={"hints": f"{own}\n{prompts.hints}" if prompts.hints else own}
    )
    approve = None if asking.as_json or not sys.stdin.isatty() else approve_on_terminal
    tools = tool_access(dict(asking.tools), resolved.mcp, approve)
    spec = RunSpec(settings, prompts=prompts, tools=tools, approve=approve_on_terminal)
    parent = ParentRun(run=before.stem, how="continue") if before is not None else None
    fresh = FreshRun(spec, resolved.sources, parent=parent)
    view = RunView(quiet=asking.quiet, as_json=asking.as_json, reports=False, display=AskDisplay)
    run, code = see_through(fresh, view)
    return code or settle(asking, run.journal.path), run.journal.path


def settle(asking: Asking, path: Path) -> int:
    """Print the answer in a journal, make its changes, save its task; return the answer's exit code."""
    with open_journal(path) as journal:
        answer = asked_answer(journal, asking.root)
        if asking.as_json:
            print(json.dumps(answer_object(answer, path, journal.summary.notices)))
        else:
            say(answer_text(answer), is_styled=True)
    if asking.save_task is not None:
        _save_task(asking.save_task, answer, path)
    _settle_changes(asking, answer, path)
    if not (asking.as_json or asking.quiet):
        say(f"next: {invocation('replay', run_argument(path), '--trial', TASK)}", err=True)
    return answer.exit_code or int(asking.strict and bool(unverified_in(answer.marks)))


def _resolved(asking: Asking, question: str, before: Path | None) -> Resolved:
    benchmark = {
        **asking.limits,
        "question": question,
        "only": json.dumps(asking.only),
        "write": asking.write,
    }
    if before is not None:
        benchmark["earlier"] = _earlier(before)
    flags = {
        **asking.options,
        "benchmark": f"{NAME}:{asking.root}",
        "set": benchmark,
        "workers": "threads",
    }
    resolved = resolve(flags, os.environ, Path.cwd())
    names_own = resolved.sources["model"].startswith(PROFILE) and "model" in asking.options
    if before is not None and "base_url" not in asking.options and not names_own:
        # The files of a question go on to the endpoint that has them, unless another one is named.
        with open_journal(before) as journal:
            kept = {one.name: one for one in journal.opened.settings if one.name in ENDPOINT}
        _, is_profile, profile = kept["model"].source.partition(PROFILE)
        values = {name: one.value for name, one in kept.items()}
        if is_profile and "model" not in asking.options:
            values = {"model": profile}
        resolved = resolve({**values, **flags}, os.environ, Path.cwd())
    if resolved.sources["model_patience"] == "default":  # Somebody waits.
        settings = resolved.settings.model_copy(update={"model_patience": PATIENCE_S})
        resolved = dataclasses.replace(resolved, settings=settings)
    if not resolved.settings.model:
        msg = (
            "ask needs a model: name one with --model or MODEL_ID (its endpoint with OPENAI_BASE_URL, its key with "
            "OPENAI_API_KEY)"
        )
        raise UsageError(msg)
    return resolved


def _last_question(folder: Path, *, is_trusted: bool) -> Path:
    """Return the journal of the last question. Raises `UsageError` if there is none, or it is somebody else's."""
    journals = [path for path in newest_first(folder) if f"-{NAME}-" in path.name]
    if not journals:
        msg = (
            f"--continue: no question was asked yet (no journal of one in {folder}); ask one first"
        )
        raise UsageError(msg)
    last = journals[0] if is_trusted else last_journal(folder, journals)
    with open_journal(last) as journal:
        check_own(journal, is_trusted=is_trusted)
    return last


def _earlier(before: Path) -> str:
    """Return the context of a further question, for the benchmark: the dialogue, the scratchpad, the files read."""
    with open_journal(before) as journal:
        context = json.loads(_options_of(journal).get("earlier") or "{}")
        answer = asked_answer(journal, Path("/"))
        (trial,) = journal.trials.values()
        held = trial.steps[-1].scratchpad if trial.steps else {}
    last = answer.summary
    said = [
        *context.get("said", []),
        [last.instruction, last.answer or "(no answer was accepted)"],
    ][-20:]
    kept = {
        name: value for name, value in held.items() if name not in ("answer", "outcome", "refs_why")
    }
    read = context.get("read", {}) | {path: answer.read.get(path, "") for path in answer.cited}
    return json.dumps({"run": before.stem, "said": said, "scratchpad": kept, "read": read})


def _settle_changes(asking: Asking, answer: AskedAnswer, journal: Path) -> None:
    """Show the changes of the scripts, and make them if the user wants them: all, or none.

    Raises `UsageError`, and `ChangeRefused` if a file is not as the script saw it.
    """
    changes: dict[str, FileChange] = {}
    for path, after in answer.changes.items():
        change = FileChange.of(asking.root, path, after)
        place, last_hash = change.place, answer.read.get(path)
        if change.data == change.before:
            continue
        if not place.is_relative_to(asking.root / asking.write):
            msg = f"{place}: it is outside --write {asking.write or '.'}; nothing is written"
            raise UsageError(msg)
        is_newer = place.exists() and place.stat().st_ctime * 1000 > answer.summary.started_ms
        if (sha256_of(change.form.text) != last_hash) if last_hash else is_newer:
            msg = f"{place} was changed while the question was answered: nothing is written; ask again"
            raise ChangeRefused(msg)
        changes[path] = change
    if not changes:
        return
    unseen = []
    for path, change in changes.items():
        shown = shown_path(path, asking.root)
        diff = file_diff(shown, change)
        unseen += [] if diff.is_whole else [visible_name(shown)]
        if not asking.as_json:
            say(f"\n{diff.text}", is_styled=True)
    if answer.exit_code:
        say("nothing is written: no answer was accepted", err=True)
        return
    applies = asking.applies == "unseen" or (asking.applies and not unseen)
    is_asked = not applies and sys.stdin.isatty() and not asking.as_json
    named = f", {', '.join(unseen)} unseen" if unseen else ""
    if not applies and not (is_asked and click.confirm(f"Make these changes{named}?", err=True)):
        remedy = (
            f"--apply=unseen makes changes that cannot be shown ({', '.join(unseen)})"
            if unseen
            else ""
        )
        say(f"nothing is written; {remedy or '--apply makes the changes without asking'}", err=True)
        return
    _make(changes, journal.parent / OLD_VERSIONS)


def _make(changes: Mapping[str, FileChange], kept: Path) -> None:
    """Make changes, and say which."""
    make_changes(changes, kept)
    for done, is_gone in (("written", False), ("deleted", True)):
        places = (
            shown_path(path, one.root)
            for path, one in changes.items()
            if (one.after is None) is is_gone
        )
        if named := ", ".join(map(visible_name, places)):
            say(f"{done}: {named}", err=True)
    if kept.exists():
        say(
            f"old versions, until the next change: {kept}; controlplane undo takes the change back",
            err=True,
        )


@click.command("undo")
@click.option("--apply", "applies", is_flag=True, help="Undo without asking.")
@settings_options("runs_dir")
def undo_command(*, applies: bool, **options: Any) -> None:
    """Take back the last changes that `ask --write` made, after showing them; done twice, it makes them again."""
    kept = runs_folder(str(options["runs_dir"]) if options.get("runs_dir") else None) / OLD_VERSIONS
    finish_changes(kept)
    changes = undoing_changes(kept)
    for path, change in changes.items():
        say(f"\n{file_diff(shown_path(path, change.root), change).text}", is_styled=True)
    if not applies and not (
        sys.stdin.isatty() and click.confirm("Undo the last changes so?", err=True)
    ):
        say("nothing is written; --apply undoes the changes without asking", err=True)
        raise SystemExit(1)
    _make(changes, kept)


def _save_task(folder: Path, answer: AskedAnswer, journal: Path) -> None:
    """Write the question, all files that it was asked over, and its answer as a task.

    Raises `UsageError` if there are too many files, and `ChangeRefused` if they have changed.
    """
    if answer.exit_code:
        say(f"--save-task: nothing is written to {folder}: no answer was accepted", err=True)
        return
    with open_journal(journal) as opened:
        options = _options_of(opened)
        again = open_benchmark(str(opened.setting("benchmark")), options, BenchmarkContext())
        if again.world_version != opened.opened.versions.world:
            msg = f"--save-task: nothing is written to {folder}: files have changed since the question was asked"
            raise ChangeRefused(msg)
    sources, size = again.files or {}, 0
    data: dict[str, bytes] = {}
    # The task's own files, and its folders, take the rest.
    files, megabytes = bounds.MOST_TASK_FILES * 4 // 5, bounds.MOST_TASK_BYTES * 9 // 10_000_000
    for path, text in sources.items():
        data[f"files{path}"] = text.encode(errors="replace")
        size += len(data[f"files{path}"])
        if len(data) > files or size > megabytes * 1_000_000:
            most = f"{files:,} files and {megabytes} MB"
            msg = f"--save-task: nothing is written to {folder}: a task has at most {most}; name fewer sources"
            raise UsageError(msg)
    changes = sorted(
        (path, text) for path, text in answer.changes.items() if sources.get(path) != text
    )
    after = {
        path: f"after/{number}" for number, (path, text) in enumerate(changes) if text is not None
    }
    data |= {
        after[path]: text.encode(errors="replace") for path, text in changes if text is not None
    }
    data["task.toml"] = _task_text(
        answer, options, set(sources), {path: after.get(path, "") for path, _ in changes}
    )
    for name, content in data.items():
        write_whole(folder / name, content, folder)
    say(f"saved as a task: {invocation('run', '--benchmark', f'folder:{folder}')}", err=True)


def _task_text(
    answer: AskedAnswer, options: Mapping[str, str], files: set[str], changes: Mapping[str, str]
) -> bytes:
    """Return a task.toml. `changes` has the file with the new text of each changed path, empty for a deletion."""
    lines = [
        f"instruction = {toml_text(answer.summary.instruction)}",
        f'clock = "{answer.now}"' * bool(answer.now),
        "[question]  # Scripts may call what `ask` offers.",
        *(
            f"{name} = {toml_text(options[name])}"
            for name in ("write", "earlier")
            if options.get(name)
        ),
        *(f"[mcp.{name}]" for name in answer.servers),
        "[expected]",
        f"outcome = {toml_text(answer.summary.outcome)}",
        "# The values of this answer must be in an answer, in any words. For other demands see docs/benchmarks.md.",
        f"states = {toml_text(answer.summary.answer.strip())}",
        f"references = {toml_text(sorted(answer.cited & files))}",
        f"tolerated = {toml_text(sorted(answer.read.keys() & files - answer.cited))}",
    ]
    for path, place in changes.items():
        lines += ["[[expected.change]]", f"path = {toml_text(path)}"]
        lines.append(f"file = {toml_text(place)}" if place else "deleted = true")
    return "\n".join([*filter(None, lines), ""]).encode(errors="replace")


def toml_text(value: object) -> str:
    """Return a text, or a list of texts, as TOML, whose escapes are JSON's."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


class AskDisplay(PlainDisplay):
    """Prints notices, and on a terminal each call and a line that is redrawn: step, activity, tokens, cost, time; the
    text that a model writes runs through that line."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self._heard = ""
        for endpoint in run.resources.endpoints if sys.stderr.isatty() else ():
            endpoint.on_text = self._hear

    def _hear(self, text: str) -> None:
        self._heard = (self._heard + text)[-bounds.SHOWN_VALUE_CHARS :]

    def print_until_done(self) -> None:
        is_terminal = sys.stderr.isatty()
        clear = "\r\x1b[K" * is_terminal
        notices, calls, is_stopping, is_over = 0, 0, False, False
        while not is_over:
            is_over = self.done.wait(0.2)
            if PROMPT.locked():
                continue
            summary, progress = self.run.summary, ""
            lines = [one_line(notice) for notice in summary.notices[notices:]]
            notices += len(lines)
            if self.run.controls.interrupted.is_set() and not is_stopping:
                is_stopping = True
                lines.append(STOPPING)
            for trial in list(summary.trials.values()) if is_terminal else []:
                calls, since = trial.calls, trial.calls - calls
                lines += [
                    click.style(f"  {one_line(call)}", dim=True)
                    for call in trial.last_calls[-since:]
                    if since
                ]
                clock = clock_text((now_ms() - summary.began_ms) / 1000)
                self._heard = self._heard if trial.doing == "thinking" else ""
                doing = one_line(trial.doing)[: bounds.SHOWN_VALUE_CHARS]
                doing = f"…{one_line(self._heard)}" if self._heard else doing
                parts = [f"step {trial.steps_done + 1}", doing, *spent_texts(trial.spent), clock]
                width = os.get_terminal_size(sys.stderr.fileno()).columns or 80
                progress = "" if is_over else " · ".join(parts)[: width - 1]
            sys.stderr.write("".join(f"{clear}{line}\n" for line in lines) + clear + progress)
            sys.stderr.flush()
