"""Questions about files: the files that a question covers, its run, and the question after it.

Every question is a run of the benchmark `files` with one trial. The command `ask` and
the function `controlplane.ask` use this package.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from controlplane.agent.evidence import ApproveCall
from controlplane.agent.loop import FOLDER, read_text
from controlplane.agent.retry import SHORT_PATIENCE_S
from controlplane.benchmark import BenchmarkContext
from controlplane.configuration.named_modules import open_benchmark
from controlplane.configuration.recorded_settings import check_own
from controlplane.configuration.run_names import (
    OF_QUESTIONS,
    last_own_journal,
)
from controlplane.configuration.setting_sources import (
    DEFAULT,
    PROFILE_PREFIX,
    Resolved,
    resolve,
)
from controlplane.errors import UsageError, as_usage_error
from controlplane.facts.answer_facts import AskedAnswer, asked_answer
from controlplane.file_changes import ChangeRefused, FileChange
from controlplane.journal.journal_files import newest_first
from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.journal.run_events import ParentRun
from controlplane.lifecycle.resources.run_solver import RunSpec, prompts_named_by
from controlplane.lifecycle.run_plan import RunPlan
from controlplane.mcp.tool_access import tool_access
from controlplane.sandbox.files import check_writable, sha256_of, write_whole
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.foreign_documents import Unreadable, read_json

# Which question of `controlplane ask` was asked last.


def last_question(folder: Path, *, is_trusted: bool) -> Path:
    """Return the journal of the last question in a folder.

    Raises `UsageError` if there is none, or if it belongs to another user.
    """
    # The name of a journal contains its benchmark: `20261120-071410-files-....jsonl`.
    journals = [
        path for path in newest_first(folder) if f"-{OF_QUESTIONS}-" in path.name
    ]
    if not journals:
        msg = f"--continue: no question was asked yet (no journal of one in {folder}); ask one first"
        raise UsageError(msg)
    last = journals[0] if is_trusted else last_own_journal(folder, journals)
    with open_journal(last) as journal:
        check_own(journal, is_trusted=is_trusted)
    return last


# The files that a question covers.


@dataclass(frozen=True, slots=True)
class QuestionScope:
    """The files that a question covers."""

    root: Path
    """The folder that contains all named sources."""
    sources: tuple[str, ...] = ()
    """The sources, relative to the root; empty for the whole root."""
    writable_folder: str = ""
    """The folder that scripts may write to, relative to the root; empty for none."""


def question_scope(
    sources: tuple[str, ...], write: str | None = None, before: Path | None = None
) -> QuestionScope:
    """Return the scope of the named files and folders, by default the working folder.

    `write` is the folder that scripts may change. Raises `UsageError` if nothing can be written there. `before` is
    the journal of the question before: a further question that names nothing is about its files.

    For example, the sources are `docs/a.md` and `docs/b/`, and `write` is `out`. Then the
    root is the folder that contains all three, the scope's sources are `docs/a.md`,
    `docs/b` and `out`, and its writable folder is `out`.
    """
    if before is not None and not sources and write is None:
        return recorded_scope(before)
    source_paths = [_real_path(source) for source in sources or (".",)]
    writable = _real_path(write) if write else None
    if writable is not None and writable.exists() and not writable.is_dir():
        msg = f"--write {write}: it is a file; name a folder"
        raise UsageError(msg)
    if writable is not None:
        with as_usage_error(f"--write: cannot write to {write}", OSError):
            check_writable(writable / "new-file")

    folders = [path if path.is_dir() else path.parent for path in source_paths]
    if writable is not None:
        folders.append(writable)
    root = Path(os.path.commonpath(folders))

    # If the only source is the root, no names are given: the scope is the whole root.
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
    with as_usage_error(f"{path}: its sources cannot be read", Unreadable):
        sources = read_json(options.get("only") or "[]")
    return QuestionScope(Path(root), tuple(sources), options.get("write", ""))


def benchmark_options(journal: Journal) -> dict[str, str]:
    """Return the options of the benchmark that a journal's question was asked with."""
    options = journal.setting("set")
    if not isinstance(options, dict):
        return {}
    return {name: str(value) for name, value in options.items()}


# What a question of `controlplane ask` is told about the earlier ones of its dialogue.
#
# It is read from the journal of the question before, a run with a single trial, and passed on as an option
# of the new run. So the scripts of the new question know what was asked, answered and read.

_MAX_REMEMBERED_TURNS: Final = 20
"""The number of earlier questions and answers that a further question is told."""
_ANSWER_KEYS: Final = frozenset({"answer", "outcome", "refs_why"})
"""Keys of the scratchpad (where scripts keep values) that belong to one answer.
The next question does not get them."""


def _earlier_context(before: Path) -> str:
    """Return what a question is told about the questions before it, as JSON.

    It is what the previous question was told, with that question itself added:

    - `run`: the id of the previous question's run.
    - `said`: the dialogue, as pairs of a question and its answer.
    - `scratchpad`: the values that the scripts of the previous question kept.
    - `read`: for each file that an answer cited, the hash of the text that scripts read.
    """
    with open_journal(before) as journal:
        with as_usage_error(f"{before}: its earlier questions", Unreadable):
            earlier = read_json(benchmark_options(journal).get("earlier") or "{}")
        # The folder only decides how paths are shown. From the root, they stay absolute.
        answer = asked_answer(journal, Path("/"))
        (trial,) = journal.trials.values()
        scratchpad: Mapping[str, Any] = {}
        if trial.steps:
            scratchpad = trial.steps[-1].scratchpad
    kept_values = {
        key: value for key, value in scratchpad.items() if key not in _ANSWER_KEYS
    }
    text = answer.summary.answer or "(no answer was accepted)"
    dialogue = [*earlier.get("said", []), [answer.summary.instruction, text]]
    # By its hash, a file that has changed since is found.
    hashes_of_cited = {path: answer.read.get(path, "") for path in answer.cited}
    context = {
        "run": before.stem,
        "said": dialogue[-_MAX_REMEMBERED_TURNS:],
        "scratchpad": kept_values,
        "read": earlier.get("read", {}) | hashes_of_cited,
    }
    return json.dumps(context)


# A question about files, as the user asks it.


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
    """The journal of the previous question of the conversation; None for the first question."""


# The settings of a question's run: those of the user, and the endpoint of the question before.

_ENDPOINT_SETTINGS: Final = ("model", "base_url", "api")
"""Settings that are taken over together from one question to the next."""
PATIENCE_S: Final = SHORT_PATIENCE_S
"""How long a question waits for a failing model, unless a setting says otherwise.
It is short, because the user is waiting for the answer."""


def _question_settings(question: Question) -> Resolved:
    """Return the settings of a question's run.

    A further question goes to the endpoint of the previous one, which already knows the
    files. The user may name another endpoint: by its address, or by a profile, which is
    a name for the settings of a model.

    Raises `UsageError`, also if no model is named.
    """
    flags = {
        **question.settings,
        "benchmark": f"{OF_QUESTIONS}:{question.scope.root}",
        "set": _benchmark_options(question),
        "workers": "threads",
    }
    resolved = _resolved(flags)
    if question.before is not None and not _names_endpoint(question, resolved):
        # The endpoint of the previous question applies where the user named nothing else.
        # With `--model b`, for example, model b is asked at the previous address.
        resolved = _resolved(_earlier_endpoint(question, question.before) | flags)
    if resolved.sources["model_patience"] == DEFAULT:
        shorter = {"model_patience": PATIENCE_S}
        settings = resolved.settings
        roles = {}
        for role, role_settings in settings.role.items():
            # A role has the run's number, unless its profile has another one.
            is_own = role_settings.model_patience != settings.model_patience
            roles[role] = (
                role_settings if is_own else role_settings.model_copy(update=shorter)
            )
        settings = settings.model_copy(update={**shorter, "role": roles})
        resolved = replace(resolved, settings=settings)
    if not resolved.settings.model:
        msg = (
            "ask needs a model: name one with --model or MODEL_ID (its endpoint with "
            "OPENAI_BASE_URL, its key with OPENAI_API_KEY)"
        )
        raise UsageError(msg)
    return resolved


def _resolved(flags: dict[str, object]) -> Resolved:
    """Return the settings of a run with these flags, here and now."""
    return resolve(flags, os.environ, Path.cwd())


def _names_endpoint(question: Question, resolved: Resolved) -> bool:
    """Return True if the user names an endpoint: by its address, or by the profile of a model.

    The source of a setting that a profile gives is `profile NAME`.
    """
    if "base_url" in question.settings:
        return True
    if "model" not in question.settings:
        return False
    return resolved.sources["model"].startswith(PROFILE_PREFIX)


def _earlier_endpoint(question: Question, before: Path) -> dict[str, object]:
    """Return the settings by which the question before reached its model.

    `before` is that question's journal. A model that came from a profile is given by the profile's
    name alone, unless the user names a model. The profile's present settings then apply.
    """
    with open_journal(before) as journal:
        recorded = {}
        for setting in journal.opened.settings:
            if setting.name in _ENDPOINT_SETTINGS:
                recorded[setting.name] = setting
    source = recorded["model"].source
    if "model" not in question.settings and source.startswith(PROFILE_PREFIX):
        return {"model": source.removeprefix(PROFILE_PREFIX)}
    return {name: setting.value for name, setting in recorded.items()}


def _benchmark_options(question: Question) -> dict[str, str]:
    """Return the options (`--set`) of the benchmark whose only task is the question."""
    options = dict(question.limits)
    options["question"] = question.text
    options["only"] = json.dumps(question.scope.sources)
    options["write"] = question.scope.writable_folder
    if question.before is not None:
        options["earlier"] = _earlier_context(question.before)
    return options


# The file task.toml of a question that is saved as a task: what is asked, and what is expected.
#
# The answer that was accepted becomes the expected one: its values, its citations and its changes.


def _task_toml(
    answer: AskedAnswer,
    options: Mapping[str, str],
    sources: set[str],
    file_of_change: Mapping[str, str | None],
) -> bytes:
    """Return the contents of task.toml.

    - `options`: those of the question's benchmark, such as `write`, the folder that may change.
    - `sources`: the paths of the files that the question covers.
    - `file_of_change`: for each changed path, the file with its new text; None for a deletion.
    """
    lines = [f"instruction = {toml_text(answer.summary.instruction)}"]
    if answer.now:
        lines.append(f'clock = "{answer.now}"')

    lines.append("[question]  # Scripts may call what `ask` offers.")
    # The folder in which files may change, and the earlier questions of the dialogue.
    for name in ("write", "earlier"):
        if options.get(name):
            lines.append(f"{name} = {toml_text(options[name])}")
    for server in answer.servers:
        lines.append(f"[mcp.{server}]")

    # The files that were read but not cited.
    tolerated = (answer.read.keys() & sources) - answer.cited
    lines += [
        "[expected]",
        f"outcome = {toml_text(answer.summary.outcome)}",
        "# The values of this answer must be in an answer, in any words. "
        "For other demands see docs/benchmarks.md.",
        f"states = {toml_text(answer.summary.answer.strip())}",
        f"references = {toml_text(sorted(answer.cited & sources))}",
        f"tolerated = {toml_text(sorted(tolerated))}",
    ]
    for path, file in file_of_change.items():
        lines.append("[[expected.change]]")
        lines.append(f"path = {toml_text(path)}")
        if file is None:
            lines.append("deleted = true")
        else:
            lines.append(f"file = {toml_text(file)}")
    return ("\n".join(lines) + "\n").encode(errors="replace")


def toml_text(value: object) -> str:
    """Return a text, or a list of texts, as TOML: `["a", "b"]`. TOML has the same escapes as JSON."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


# The changes that an answer proposes.


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
        """Move a refused change to `refused`. Return False if it is not one of these changes."""
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
                # Raise `ChangeRefused` for a change that must not be made.
                if not change.place.is_relative_to(scope.root / scope.writable_folder):
                    reason = f"it is outside --write {scope.writable_folder or '.'}"
                    raise ChangeRefused(change.place, reason)
                if _has_changed_since(change, answer, path):
                    reason = "it was changed while the question was answered; ask again"
                    raise ChangeRefused(change.place, reason)
                proposed.possible[path] = change
        except ChangeRefused as refusal:
            proposed.refused[refusal.place] = refusal.reason
    return proposed


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


# The run of a question.

TASK: Final = "ask"
"""The only task of a question's run."""


def question_plan(
    question: Question,
    servers: Mapping[str, Any],
    *,
    approve: ApproveCall | None = None,
    approve_tools: ApproveCall | None = None,
) -> RunPlan:
    """Return the run of a question, not yet begun. Raises `UsageError` if it cannot be asked.

    `servers` are the options about MCP servers. `approve` asks the user whether a script may make a
    call, and `approve_tools` whether it may call a tool that the options do not allow.
    """
    resolved = _question_settings(question)
    settings = resolved.settings
    prompts = prompts_named_by(settings)
    hints = read_text(FOLDER / "ask.md")
    if prompts.hints:
        hints = f"{hints}\n{prompts.hints}"
    spec = RunSpec(
        settings,
        prompts=prompts.model_copy(update={"hints": hints}),
        tools=tool_access(dict(servers), resolved.mcp, approve_tools),
        approve=approve,
    )
    parent = None
    if question.before is not None:
        parent = ParentRun(run=question.before.stem, how="continue")
    return RunPlan(spec, resolved.sources, parent=parent)


# Saves a question, its files and its answer as a task of the benchmark `folder`.

_MAX_SOURCE_FILES = bounds.MOST_TASK_FILES * 4 // 5
"""The largest number of source files. A task also has files and folders of its own."""
_MAX_SOURCE_SHARE = 0.9
"""The share of a task's size that the source files may take. A task has files of its own, too."""
_MAX_SOURCE_MB = int(bounds.MOST_TASK_BYTES * _MAX_SOURCE_SHARE) // 1_000_000
"""The largest size of the source files together."""


def check_task_folder(folder: Path) -> None:
    """Raise `UsageError` unless the folder is new or empty, and a task can be saved in it."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        msg = f"--save-task {folder}: it is not an empty folder; name a new one"
        raise UsageError(msg)
    with as_usage_error(f"--save-task: cannot write to {folder}", OSError):
        check_writable(folder / "task.toml")


def save_task(folder: Path, answer: AskedAnswer, journal: Path) -> None:
    """Write a journal's question, all files that it covers, and its answer as a task.

    Raises `UsageError` if there are too many files, and `ChangeRefused` if they have changed.
    """
    with open_journal(journal) as opened:
        options = benchmark_options(opened)
        benchmark = open_benchmark(
            str(opened.setting("benchmark")), options, BenchmarkContext()
        )
        recorded_world = opened.opened.versions.world
    if benchmark.world_version != recorded_world:
        reason = "nothing is saved: files have changed since the question was asked"
        raise ChangeRefused(folder, reason)

    # `sources` are the files of the question. `contents` are the files of the task, by
    # their paths in its folder:
    # - `files/PATH`: a file of the question, as it was before the answer.
    # - `after/0`, `after/1` …: the new text of each file that the answer changes.
    # - `task.toml`: the question, and what is expected of an answer.
    sources = benchmark.files or {}
    contents = _source_files(folder, sources)
    file_of_change: dict[str, str | None] = {}  # None for a deleted file.
    for path, new_text in sorted(answer.changes.items()):
        if sources.get(path) == new_text:  # It has its old text again.
            continue
        if new_text is None:
            file_of_change[path] = None
        else:
            file_name = f"after/{len(file_of_change)}"
            file_of_change[path] = file_name
            contents[file_name] = new_text.encode(errors="replace")
    contents["task.toml"] = _task_toml(answer, options, set(sources), file_of_change)

    for name, content in contents.items():
        write_whole(folder / name, content, folder)


def _source_files(folder: Path, sources: Mapping[str, str]) -> dict[str, bytes]:
    """Return the files that the question covers: `{"/a.md": "text"}` -> `{"files/a.md": b"text"}`.

    Raises `UsageError`, which names the task's `folder`, if they are too many or too large.
    """
    contents: dict[str, bytes] = {}
    size = 0
    for path, text in sources.items():
        data = text.encode(errors="replace")
        contents[f"files{path}"] = data
        size += len(data)
        if len(contents) > _MAX_SOURCE_FILES or size > _MAX_SOURCE_MB * 1_000_000:
            msg = (
                f"--save-task: nothing is written to {folder}: a task has at most "
                f"{_MAX_SOURCE_FILES:,} files and {_MAX_SOURCE_MB} MB; name fewer sources"
            )
            raise UsageError(msg)
    return contents
