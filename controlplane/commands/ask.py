"""`controlplane ask`: put a question to files, print the answer with its citations, write what was asked to be written.

Every question is a run of the benchmark `files` with one trial.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import click

from agent.loop import question_hints
from controlplane.commands.options import AS_JSON, QUIET, last_run
from controlplane.commands.run import FreshRun, see_through
from controlplane.commands.setting_options import given, named_tools, settings_options, tool_options
from controlplane.configuration.setting_sources import Resolved, resolve
from controlplane.configuration.trial_settings import prompts_named_by
from controlplane.errors import UsageError
from controlplane.journal.journal_content import open_journal
from controlplane.journal.journal_file import newest_first
from controlplane.journal.run_events import ParentRun
from controlplane.lifecycle.next_commands import invocation, run_argument, runs_folder
from controlplane.lifecycle.run_resources import RunSpec
from controlplane.view.asked_answer import AskedAnswer, answer_object, answer_text, asked_answer, diff_text
from controlplane.view.display_text import clock_text, one_line, spent_texts
from controlplane.view.run_view import RunView

NAME: Final = "files"
TASK: Final = "ask"
MOST_SAID: Final = 20
"""Questions and answers that `--continue` carries on."""
SETTINGS: Final = (
    *("model", "base_url", "api", "reply_mode", "reasoning_effort", "temperature", "max_output_tokens"),
    *("max_context_tokens", "model_timeout", "prompt", "hints", "role", "agent", "parts", "gates", "rules", "fallback"),
    *("max_steps", "trial_time", "step_time", "opening_chars", "walls", "cache", "run_cost", "run_time"),
    *("max_tokens_run", "runs_dir", "name"),
)


@dataclass(frozen=True, slots=True)
class Asking:
    """What one call of the command was given, but for the question."""

    root: Path
    only: tuple[str, ...]
    write: str
    """The folder below the root that may be written; empty for none."""
    applies: bool = False
    save_task: Path | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    tools: Mapping[str, Any] = field(default_factory=dict)
    """The values of the options that name MCP servers."""
    quiet: bool = False
    as_json: bool = False


@click.command("ask")
@click.argument("question", required=False)
@click.argument("sources", nargs=-1, type=click.Path(), metavar="[FILE_OR_FOLDER]...")
@click.option(
    "--write", "write", type=click.Path(), metavar="DIR", help="Let it write below DIR; shown as a diff first."
)
@click.option("--apply", "applies", is_flag=True, help="Make the changes of --write without asking.")
@click.option("--continue", "continues", is_flag=True, help="Go on from the last question of this terminal.")
@click.option("--save-task", type=click.Path(path_type=Path), help="Write question, files and answer as a task to DIR.")
@tool_options
@settings_options(*SETTINGS)
@QUIET
@AS_JSON
def ask_command(  # noqa: PLR0913 - one parameter for each option
    question: str | None,
    sources: tuple[str, ...],
    *,
    write: str | None,
    applies: bool,
    continues: bool,
    save_task: Path | None,
    tools: dict[str, Any],
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Ask QUESTION about files and folders, the working folder if none is named, and print a cited answer.

    Without QUESTION it asks for one, and goes on until an empty line.
    """
    if question and not sources and not continues and Path(question).exists():
        sources = (question,)
        question = None
    if applies and not write:
        msg = "--apply needs --write DIR, which says where it may write"
        raise UsageError(msg)
    before = _last_question(options.get("runs_dir")) if continues else None
    asking = Asking(*_asked_of(sources, write, before), applies, save_task, given(options), tools, quiet, as_json)
    if question:
        raise SystemExit(ask(asking, question, before)[0])
    if not sys.stdin.isatty():
        msg = "what is the question? controlplane ask QUESTION [FILE_OR_FOLDER]..."
        if text := sys.stdin.read().strip():
            raise SystemExit(ask(asking, text, before)[0])
        raise UsageError(msg)
    code = 0
    while text := _prompted():
        code, before = ask(asking, text, before)
    raise SystemExit(code)


def _prompted() -> str:
    with contextlib.suppress(EOFError):
        return input("? ").strip()
    return ""


def _asked_of(sources: tuple[str, ...], write: str | None, before: Path | None) -> tuple[Path, tuple[str, ...], str]:
    """Return the folder that holds all that was named, what of it was named, and what may be written.

    Raises `UsageError`.
    """
    if before is not None and not sources and write is None:
        with open_journal(before) as journal:
            options = journal.setting("set")
            known = options if isinstance(options, dict) else {}
            root = Path(str(journal.setting("benchmark")).partition(":")[2])
        return root, tuple(json.loads(str(known.get("only", "[]")))), str(known.get("write", ""))
    places = [Path(os.path.realpath(Path(one).expanduser())) for one in sources or (() if write else (".",))]
    for named, place in zip(sources, places, strict=False):
        if not place.exists():
            msg = f"{named}: there is no such file or folder"
            raise UsageError(msg)
    target = Path(os.path.realpath(Path(write).expanduser())) if write else None
    if target is not None and target.exists() and not target.is_dir():
        msg = f"--write {write}: it is a file; name a folder"
        raise UsageError(msg)
    folders = [place if place.is_dir() else place.parent for place in places] + ([target] if target else [])
    root = Path(os.path.commonpath(folders))
    only = () if places == [root] else tuple(str(place.relative_to(root)) for place in places)
    if target is not None and target.is_dir() and not any(target.is_relative_to(place) for place in places):
        only = (*only, str(target.relative_to(root))) if places else ()
    return root, only, str(target.relative_to(root)) if target else ""


def ask(asking: Asking, question: str, before: Path | None = None) -> tuple[int, Path]:
    """Put the question and print what comes of it. Return the exit code and the journal."""
    resolved = _resolved(asking, question, before)
    settings = resolved.settings
    prompts = prompts_named_by(settings)
    own = question_hints()
    prompts = prompts.model_copy(update={"hints": f"{own}\n{prompts.hints}" if prompts.hints else own})
    approve = None if asking.as_json or not sys.stdin.isatty() else _approved
    tools = named_tools(dict(asking.tools), resolved.mcp, approve)
    spec = RunSpec(settings, tuple(resolved.profiles), prompts=prompts, tools=tools)
    parent = ParentRun(run=before.stem, how="continue") if before is not None else None
    fresh = FreshRun(spec, resolved.sources, parent=parent)
    ended = see_through(fresh, quiet=asking.quiet, as_json=asking.as_json, reports=False, view_type=AskView)
    with open_journal(ended.path) as journal:
        asked = asked_answer(journal, asking.root)
        (summary,) = journal.summary.trials.values()
        notices = tuple(journal.summary.notices)
        if asking.as_json:
            print(json.dumps(answer_object(asked, summary, ended.path, notices)))
        else:
            if not asking.quiet:
                for notice in notices:
                    click.echo(one_line(notice), err=True)
            click.echo(answer_text(asked, summary))
    _settle_changes(asking, asked)
    if asking.save_task is not None:
        _save_task(asking, asked)
    if not (asking.as_json or asking.quiet):
        click.echo(f"next: {invocation('replay', run_argument(ended.path), '--trial', TASK)}", err=True)
    return ended.exit_code or asked.exit_code, ended.path


def _resolved(asking: Asking, question: str, before: Path | None) -> Resolved:
    benchmark: dict[str, str] = {"question": question, "only": json.dumps(asking.only), "write": asking.write}
    if before is not None:
        benchmark["earlier"] = _earlier(before)
    flags = {**asking.options, "benchmark": f"{NAME}:{asking.root}", "set": benchmark, "workers": "threads"}
    resolved = resolve(flags, os.environ, Path.cwd())
    if not resolved.settings.model:
        msg = (
            "ask needs a model: name one with --model or MODEL_ID (its endpoint with OPENAI_BASE_URL, its key with "
            "OPENAI_API_KEY)"
        )
        raise UsageError(msg)
    return resolved


def _last_question(runs_dir: object) -> Path:
    """Return the journal of the last question. Raises `UsageError` if there is none."""
    folder = runs_folder(str(runs_dir) if runs_dir else None)
    journals = [path for path in newest_first(folder) if f"-{NAME}-" in path.name]
    if not journals:
        msg = f"--continue: no question was asked yet (no journal of one in {folder}); ask one first"
        raise UsageError(msg)
    return last_run(folder, journals)[0]


def _earlier(before: Path) -> str:
    """Return what a question goes on with, for the benchmark: what was said, the scratchpad, what was read."""
    with open_journal(before) as journal:
        options = journal.setting("set")
        known = json.loads(str(options.get("earlier") or "{}")) if isinstance(options, dict) else {}
        asked = asked_answer(journal, Path("/"))
        (trial,) = journal.trials.values()
        steps = trial.steps
        held = steps[-1].scratchpad if steps else {}
    said = [*known.get("said", []), [asked.question, asked.answer or "(no answer was accepted)"]][-MOST_SAID:]
    kept = {name: value for name, value in held.items() if name not in ("answer", "outcome", "refs_why")}
    return json.dumps(
        {"run": before.stem, "said": said, "scratchpad": kept, "read": known.get("read", {}) | asked.read}
    )


def _settle_changes(asking: Asking, asked: AskedAnswer) -> None:
    """Show what scripts wrote as a diff, and make the changes if the user says so."""
    places = {path: asking.root / path.lstrip("/") for path in asked.changes}
    before = {path: _text_at(place) for path, place in places.items()}
    changed = {path: text for path, text in asked.changes.items() if text != before[path]}
    if not changed:
        return
    if not asking.as_json:
        for path, text in changed.items():
            click.echo(diff_text(path, before[path], text))
    if asked.exit_code:
        click.echo("nothing is written: no answer was accepted", err=True)
        return
    is_asked = not asking.applies and sys.stdin.isatty() and not asking.as_json
    if not asking.applies and not (is_asked and click.confirm("Make these changes?", err=True)):
        click.echo("nothing is written; --apply makes the changes without asking", err=True)
        return
    target = Path(os.path.realpath(asking.root / asking.write))
    for path, text in changed.items():
        place = places[path]
        if not Path(os.path.realpath(place.parent)).is_relative_to(target) or place.is_symlink():
            msg = f"{place}: it leads out of --write {asking.write or '.'}; nothing is written there"
            raise UsageError(msg)
        if text is None:
            place.unlink(missing_ok=True)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
    click.echo(f"written: {', '.join(one_line(path.lstrip('/')) for path in changed)}", err=True)


def _text_at(place: Path) -> str | None:
    try:
        return place.read_bytes().decode("utf-8", "replace")
    except OSError:
        return None


def _save_task(asking: Asking, asked: AskedAnswer) -> None:
    """Write question, files and answer as a task of a folder benchmark. Raises `UsageError` if DIR holds something."""
    folder = asking.save_task
    assert folder is not None
    if asked.exit_code:
        click.echo(f"--save-task: nothing is written to {folder}: no answer was accepted", err=True)
        return
    if folder.exists() and any(folder.iterdir()):
        msg = f"--save-task {folder}: it is not empty; name a new folder"
        raise UsageError(msg)
    cited = [one.path for one in asked.citations]
    kept = {
        os.path.relpath(os.path.realpath(path), asking.root): (path, text)
        for path in (*asked.files_read, *cited)
        if (text := _text_at(Path(path))) is not None
    }
    (folder / "files").mkdir(parents=True, exist_ok=True)
    for place, (_, text) in kept.items():
        (folder / "files" / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / "files" / place).write_text(text, encoding="utf-8")
    references = sorted(f"/{place}" for place, (path, _) in kept.items() if path in cited)
    lines = [
        f"instruction = {_toml(asked.question)}",
        "",
        "# The accepted answer. To take it in other words too: delete answer, and name what it must hold in contains.",
        "[expected]",
        f"outcome = {_toml(asked.outcome)}",
        f"answer = {_toml(asked.answer.strip())}",
        f"references = {_toml(references)}",
    ]
    (folder / "task.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    click.echo(f"saved as a task: {invocation('run', '--benchmark', f'folder:{folder}')}", err=True)


def _toml(value: object) -> str:
    """Return a text, or a list of texts, as TOML writes it: JSON's escapes are TOML's."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


class AskView(RunView):
    """Shows one trial at work: its step, what it does, tokens, cost and time."""

    @contextmanager
    def showing(self, run: Any, keys: Any) -> Iterator[None]:
        """Show `run` for the length of the block."""
        del keys
        if self.is_silent:
            yield
            return
        done = threading.Event()
        thread = threading.Thread(target=_show_progress, args=(run, done), name="ask view", daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()


_is_asking = threading.Event()
"""Set while the user is asked something: nothing else is drawn then."""


def _approved(call: str) -> bool:
    """Ask the user whether a script may make a call."""
    _is_asking.set()
    try:
        return click.confirm(f"\r\x1b[KMay the script call {one_line(call)[:500]}", err=True)
    except click.Abort:
        return False
    finally:
        _is_asking.clear()


def _show_progress(run: Any, done: threading.Event) -> None:
    """Redraw one line on a terminal, and print one for each step elsewhere, until all is done."""
    is_terminal = sys.stderr.isatty()
    printed = ""
    while not done.wait(0.2):
        if _is_asking.is_set():
            continue
        for trial in list(run.summary.running.values()):
            step = f"step {max(trial.step, 1)}"
            spent = spent_texts(trial.tokens, trial.cost_usd)
            clock = clock_text((run.summary.last_ms - run.summary.began_ms) / 1000)
            line = " · ".join([step, one_line(trial.doing)[:60], *spent, clock])
            if is_terminal:
                width = os.get_terminal_size(sys.stderr.fileno()).columns
                sys.stderr.write(f"\r\x1b[K{line[: width - 1]}")
                sys.stderr.flush()
            elif step != printed:
                printed = step
                print(line, file=sys.stderr, flush=True)
    if is_terminal:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()
