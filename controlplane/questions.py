"""Questions about files: the files that a question covers, its run, and the question
after it.

Every question is a run of the benchmark `files` with one trial. The command `ask` and
the function `controlplane.ask` use this module.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from controlplane.agent.loop import FOLDER, Prompts, read_text
from controlplane.configuration.config_file import run_argument
from controlplane.configuration.recorded_settings import check_own
from controlplane.configuration.run_settings import RunSettings
from controlplane.configuration.setting_sources import (
    DEFAULT,
    PROFILE_PREFIX,
    Resolved,
    resolve,
)
from controlplane.errors import UsageError, invocation
from controlplane.journal.journal_files import journal_id, newest_first
from controlplane.journal.journal_reader import Journal, glance_at, open_journal
from controlplane.journal.run_events import ParentRun
from controlplane.lifecycle import recorded_run
from controlplane.lifecycle.conducting import RunScreen
from controlplane.lifecycle.new_run import NewRun, conduct_new
from controlplane.lifecycle.run_prompts import prompts_named_by
from controlplane.lifecycle.run_spec import RunSpec
from controlplane.run_names import last_own_journal
from controlplane.sandbox.files import sha256_of, write_whole
from controlplane.text_files import ChangeRefused, FileChange
from controlplane.view.asked_answer import AskedAnswer, asked_answer

if TYPE_CHECKING:
    from controlplane.journal.run_summary import RunSummary
    from controlplane.mcp.server_specs import ToolAccess

BENCHMARK: Final = "files"
TASK: Final = "ask"
"""The only task of a question's run."""
ENDPOINT_SETTINGS: Final = ("model", "base_url", "api")
"""Settings that are taken over together from one question to the next."""
PATIENCE_S: Final = 30.0
"""How long a question waits for a failing model if no setting says otherwise. It is
short, because the user is waiting for the answer."""
MAX_REMEMBERED_TURNS: Final = 20
"""The number of earlier questions and answers that a further question is told."""
ANSWER_KEYS: Final = frozenset({"answer", "outcome", "refs_why"})
"""Keys of the scratchpad, in which scripts keep values, that belong to one answer. The
next question does not get them."""


@dataclass(frozen=True, slots=True)
class QuestionScope:
    """The files that a question covers."""

    root: Path
    """The folder that contains all named sources."""
    sources: tuple[str, ...] = ()
    """The sources, relative to the root; empty for the whole root."""
    writable_folder: str = ""
    """The folder that scripts may write to, relative to the root; empty for none."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question with everything that determines its run."""

    text: str
    scope: QuestionScope
    settings: Mapping[str, object] = field(default_factory=dict)
    """The settings that the user gave."""
    limits: Mapping[str, str] = field(default_factory=dict)
    """Options of the benchmark that limit its sources."""
    before: Path | None = None
    """The journal of the previous question of the conversation; None for the first
    question."""


def question_scope(sources: tuple[str, ...], write: str | None = None) -> QuestionScope:
    """Return the scope of the named files and folders, by default the working folder.

    `write` is the folder that scripts may change. Raises `UsageError` if it is a file.

    With `docs/a.md`, `docs/b/` and `write="out"`, the root is the folder that contains
    all three, the sources are `docs/a.md`, `docs/b` and `out`, and the writable folder
    is `out`.
    """
    source_paths = [_real_path(source) for source in sources or (".",)]
    writable = _real_path(write) if write else None
    if writable is not None and writable.exists() and not writable.is_dir():
        msg = f"--write {write}: it is a file; name a folder"
        raise UsageError(msg)

    folders = [path if path.is_dir() else path.parent for path in source_paths]
    if writable is not None:
        folders.append(writable)
    root = Path(os.path.commonpath(folders))

    # No names mean the whole root, with the writable folder in it.
    names: list[str] = []
    if source_paths != [root]:
        names = [str(path.relative_to(root)) for path in source_paths]
    if writable is None:
        return QuestionScope(root, tuple(names))

    # Scripts also read what is in the writable folder. It may not exist yet.
    is_in_a_source = any(writable.is_relative_to(path) for path in source_paths)
    if writable.is_dir() and not is_in_a_source:
        names.append(str(writable.relative_to(root)))
    return QuestionScope(root, tuple(names), str(writable.relative_to(root)))


def _real_path(path: str) -> Path:
    return Path(os.path.realpath(Path(path).expanduser()))


def recorded_scope(path: Path) -> QuestionScope:
    """Return the scope of the question that a journal records."""
    with open_journal(path) as journal:
        options = benchmark_options(journal)
        root = str(journal.setting("benchmark")).partition(":")[2]
    sources = json.loads(options.get("only") or "[]")
    return QuestionScope(Path(root), tuple(sources), options.get("write", ""))


def benchmark_options(journal: Journal) -> dict[str, str]:
    """Return the options of the benchmark that a journal's question was asked with."""
    options = journal.setting("set")
    if not isinstance(options, dict):
        return {}
    return {name: str(value) for name, value in options.items()}


def is_question(summary: RunSummary) -> bool:
    """Return True if a run is a question about files."""
    opened = summary.opened
    if opened is None or len(summary.trials) != 1:
        return False
    return opened.benchmark.partition(":")[0] == BENCHMARK


def nothing_to_poll(path: Path) -> str:
    """Return why there are no scores to ask for in a journal's run; empty if there are
    some."""
    if is_question(glance_at(path)):
        show = invocation("show", run_argument(path))
        return f"{journal_id(path)} is a question, which has no scores to ask for; see: {show}"
    return recorded_run.reason_not_to_poll(path)


def keep_input(stream: BinaryIO, runs: Path) -> str:
    """Write the text of a stream to a file named by the text's hash, and return the
    file's path.

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


# The run of a question


def question_plan(
    question: Question,
    resolved: Resolved,
    *,
    tools: ToolAccess | None = None,
    approve: Callable[[str], bool] | None = None,
) -> NewRun:
    """Return the run of a question, not yet begun.

    `resolved` is the result of `question_settings`. `approve` asks the user about a
    single call.
    """
    spec = RunSpec(
        resolved.settings,
        prompts=_prompts_of_questions(resolved.settings),
        tools=tools,
        approve=approve,
    )
    parent = None
    if question.before is not None:
        parent = ParentRun(run=question.before.stem, how="continue")
    return NewRun(spec, resolved.sources, parent=parent)


def question_settings(question: Question) -> Resolved:
    """Return the settings of a question's run.

    A further question goes to the endpoint of the previous one, which has the files
    already. The user may name another, by its address or by a profile (the settings of
    a model under a name).

    Raises `UsageError`, also if no model is named.
    """
    flags = {
        **question.settings,
        "benchmark": f"{BENCHMARK}:{question.scope.root}",
        "set": _benchmark_options_of(question),
        "workers": "threads",
    }
    resolved = resolve(flags, os.environ, Path.cwd())
    if question.before is not None and not _names_endpoint(question, resolved):
        # The flags override the previous question's model and protocol, too.
        earlier = _endpoint_settings(
            question.before, keeps_profile="model" not in question.settings
        )
        resolved = resolve({**earlier, **flags}, os.environ, Path.cwd())

    if resolved.sources["model_patience"] == DEFAULT:
        resolved = _with_patience(resolved)
    if not resolved.settings.model:
        msg = (
            "ask needs a model: name one with --model or MODEL_ID (its endpoint with "
            "OPENAI_BASE_URL, its key with OPENAI_API_KEY)"
        )
        raise UsageError(msg)
    return resolved


def _names_endpoint(question: Question, resolved: Resolved) -> bool:
    """Return True if the user names an endpoint: by its address, or by the profile of a
    model."""
    if "base_url" in question.settings:
        return True
    names_profile = resolved.sources["model"].startswith(PROFILE_PREFIX)
    return "model" in question.settings and names_profile


def _with_patience(resolved: Resolved) -> Resolved:
    """Return the settings with the shorter waiting time for failing models
    (`PATIENCE_S`)."""
    settings = resolved.settings.model_copy(update={"model_patience": PATIENCE_S})
    return replace(resolved, settings=settings)


def _benchmark_options_of(question: Question) -> dict[str, str]:
    """Return the options (`--set`) of the benchmark whose only task is the question."""
    options = dict(question.limits)
    options["question"] = question.text
    options["only"] = json.dumps(question.scope.sources)
    options["write"] = question.scope.writable_folder
    if question.before is not None:
        options["earlier"] = _earlier_context(question.before)
    return options


def _endpoint_settings(before: Path, *, keeps_profile: bool) -> dict[str, object]:
    """Return the settings by which the previous question reached its model.

    With `keeps_profile`, a model that came from a profile is given as the profile's
    name alone. The profile's present settings then apply.
    """
    with open_journal(before) as journal:
        recorded = {}
        for setting in journal.opened.settings:
            if setting.name in ENDPOINT_SETTINGS:
                recorded[setting.name] = setting
    model_source = recorded["model"].source
    if keeps_profile and model_source.startswith(PROFILE_PREFIX):
        return {"model": model_source.removeprefix(PROFILE_PREFIX)}
    return {name: setting.value for name, setting in recorded.items()}


def _prompts_of_questions(settings: RunSettings) -> Prompts:
    """Return the prompt texts. The rules for questions come before the user's hints in
    them."""
    prompts = prompts_named_by(settings)
    hints = read_text(FOLDER / "ask.md")
    if prompts.hints:
        hints = f"{hints}\n{prompts.hints}"
    return prompts.model_copy(update={"hints": hints})


def ask(
    question: Question,
    screen: RunScreen | None = None,
    *,
    tools: ToolAccess | None = None,
    approve: Callable[[str], bool] | None = None,
) -> AskedAnswer:
    """Ask a question and return its answer.

    Changes that scripts proposed are in the answer; no file is written. Raises
    `UsageError` and similar errors if the question cannot be asked.
    """
    plan = question_plan(
        question, question_settings(question), tools=tools, approve=approve
    )
    run, _ = conduct_new(plan, screen)
    with open_journal(run.journal.path) as journal:
        return asked_answer(journal, question.scope.root)


# The previous question


def last_question(folder: Path, *, is_trusted: bool) -> Path:
    """Return the journal of the last question in a folder.

    Raises `UsageError` if there is none, or if it belongs to another user.
    """
    # The name of a journal contains its benchmark: `20261120-071410-files-....jsonl`.
    journals = [path for path in newest_first(folder) if f"-{BENCHMARK}-" in path.name]
    if not journals:
        msg = f"--continue: no question was asked yet (no journal of one in {folder}); ask one first"
        raise UsageError(msg)
    last = journals[0] if is_trusted else last_own_journal(folder, journals)
    with open_journal(last) as journal:
        check_own(journal, is_trusted=is_trusted)
    return last


def _earlier_context(before: Path) -> str:
    """Return what a further question is told about the questions before it, as JSON.

    It is what the previous question was told, with that question itself added:

    - `run`: the id of the previous question's run.
    - `said`: the dialogue, as pairs of a question and its answer.
    - `scratchpad`: the values that the scripts of the previous question kept.
    - `read`: for each file that an answer cited, the hash of the text that scripts
      read.
    """
    with open_journal(before) as journal:
        context = json.loads(benchmark_options(journal).get("earlier") or "{}")
        answer = asked_answer(journal, Path("/"))
        (trial,) = journal.trials.values()
        scratchpad: Mapping[str, Any] = (
            trial.steps[-1].scratchpad if trial.steps else {}
        )

    earlier_turns = context.get("said", [])
    turn = [
        answer.summary.instruction,
        answer.summary.answer or "(no answer was accepted)",
    ]
    kept_values = {
        name: value for name, value in scratchpad.items() if name not in ANSWER_KEYS
    }
    hashes_read = dict(context.get("read", {}))
    for path in answer.cited:
        hashes_read[path] = answer.read.get(path, "")
    return json.dumps(
        {
            "run": before.stem,
            "said": [*earlier_turns, turn][-MAX_REMEMBERED_TURNS:],
            "scratchpad": kept_values,
            "read": hashes_read,
        }
    )


# Changes that the answer proposes


@dataclass(slots=True)
class ProposedChanges:
    """The changes that the scripts of an answer made to their copies of files.

    `refuse` moves a change from `possible` to `refused`.
    """

    possible: dict[str, FileChange] = field(default_factory=dict)
    """The changes that can be made, by path below the root."""
    refused: dict[Path, str] = field(default_factory=dict)
    """The reasons why changes cannot be made, by the place of the file."""

    def refuse(self, refusal: ChangeRefused) -> bool:
        """Move a refused change to `refused`. Return False if it is not one of these
        changes."""
        for path, change in self.possible.items():
            if change.place == refusal.place:
                del self.possible[path]
                self.refused[refusal.place] = refusal.reason
                return True
        return False


def proposed_changes(answer: AskedAnswer, scope: QuestionScope) -> ProposedChanges:
    """Return the changes of an answer's scripts that differ from the present files."""
    proposed = ProposedChanges()
    for path, new_text in answer.changes.items():
        try:
            change = FileChange.of(scope.root, path, new_text)
            if change.new_bytes != change.old_bytes:
                _check_change(change, answer, path, scope)
                proposed.possible[path] = change
        except ChangeRefused as refusal:
            proposed.refused[refusal.place] = refusal.reason
    return proposed


def _check_change(
    change: FileChange, answer: AskedAnswer, path: str, scope: QuestionScope
) -> None:
    """Raise `ChangeRefused` for a change that must not be made.

    The file is outside the writable folder, or somebody has changed it since the
    scripts read it.
    """
    if not change.place.is_relative_to(scope.root / scope.writable_folder):
        reason = f"it is outside --write {scope.writable_folder or '.'}"
        raise ChangeRefused(change.place, reason)
    if _has_changed_since(change, answer, path):
        reason = "it was changed while the question was answered; ask again"
        raise ChangeRefused(change.place, reason)


def _has_changed_since(change: FileChange, answer: AskedAnswer, path: str) -> bool:
    """Return True if a file has changed since the scripts read it.

    If they changed it without reading it, return True if it has changed since the
    question was asked.
    """
    hash_read = answer.read.get(path)
    if hash_read:
        return sha256_of(change.old_file.text) != hash_read
    if not change.place.exists():
        return False
    changed_at_ms = change.place.stat().st_ctime * 1000
    return changed_at_ms > answer.summary.started_ms
