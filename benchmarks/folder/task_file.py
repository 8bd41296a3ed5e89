"""Reads a folder of tasks, once: every task.toml and the files that it names, within bounds, without links, and nothing
outside the folder. Other files beside them (journals, caches) are not read.

A task.toml holds the instruction, the tools, and the required end of the trial.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import tomllib
from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar

import re2
from pydantic import AfterValidator, Field, ValidationError

from controlplane import BenchmarkError
from controlplane.agent.model import Frozen
from controlplane.benchmarks.folder.folder_runtime import PLACEHOLDER
from controlplane.configuration.run_settings import first_fault
from controlplane.expected_end import Expectation
from controlplane.gates.submission import OUTCOMES, encodable
from controlplane.sandbox import normal_path
from controlplane.sandbox.files import compiled_pattern, read_whole
from controlplane.sandbox.interface import CallError, bounds, error_codes

INVALID: Final = error_codes.INVALID_ARGUMENT
TASK_FILE: Final = "task.toml"
GRADE_FILE: Final = "grade.py"
"""Grades a task, in the sandbox."""
_PART: Final = r"""(?:[\w-]+|'[^'\n]*'|"(?:[^"\\\n]|\\.)*")[ \t]*\.[ \t]*"""
LONG_KEY: Final = re2.compile(f"(?:{_PART}){{100}}")
"""A key of more parts: the time to read one grows with the square of their number."""


Given = TypeVar("Given", str, str | tuple[str, ...])


def _path(value: str) -> str:
    try:
        normal = normal_path(value)
    except CallError as error:
        raise ValueError(error.message) from None
    if value != normal or value == "/":
        msg = f"{value!r} is not a path of the task's world; write it as {normal!r}"
        raise ValueError(msg)
    return value


def _patterns(value: Given) -> Given:
    for pattern in (value,) if isinstance(value, str) else value:
        try:
            compiled_pattern(pattern)
        except CallError as error:
            raise ValueError(error.message) from None
    return value


WorldPath = Annotated[str, AfterValidator(_path)]
Pattern = Annotated[str, AfterValidator(_patterns)]
Patterns = Annotated[str | tuple[str, ...], AfterValidator(_patterns)]


class ToolCall(Frozen):
    """One way to call a tool.

    `{1}` in the other values is the text that the first group of `args` matched; a value that is only `{1}` becomes a
    whole number if the text is one.
    """

    args: Patterns = ""
    """The pattern that all arguments, joined by spaces, must fit in full; or one for each argument, which may then hold
    spaces."""
    prints: str = ""
    error: str = ""
    """The text for stderr."""
    exit_code: int = Field(0, ge=0, le=255)
    shows: str = ""
    """The path of a file whose text goes to stdout, before `prints`."""
    file: str = ""
    """The file that the call is about, in JSON, CSV, TSV, YAML or Markdown; `*` matches the name of a folder."""
    row: dict[str, Any] = Field(default_factory=dict)
    """The columns that select the row of a CSV or TSV file that the call is about."""
    when: dict[str, Any] = Field(default_factory=dict)
    """The call fits only if the file's fields hold these values; tables are compared key by key."""
    set: dict[str, Any] = Field(default_factory=dict)
    """The fields of that file that the call sets; a table is merged into the existing object."""
    append: str = ""
    """The text that the call adds to the end of that file; a missing file is made."""
    delete: bool = False
    """True if the call deletes that file."""

    @property
    def changes(self) -> bool:
        """True if the call changes its file."""
        return bool(self.set or self.append or self.delete)


class Tool(Frozen):
    """A program of the task's world. The first call that fits is made; if none fits, it fails and does nothing."""

    path: WorldPath
    kind: Literal["reads", "changes"] = "reads"
    summary: str = ""
    """Its purpose, for the list of tools."""
    help: str = ""
    """The output of `--help`."""
    call: tuple[ToolCall, ...] = Field((), max_length=1_000)


class Change(Frozen):
    """A file that must change: its new text from a file beside task.toml, the text itself, or its deletion."""

    path: WorldPath
    file: str = ""
    text: str | None = None
    deleted: bool = False


class Expected(Frozen):
    """The required end of a trial."""

    outcome: Literal[OUTCOMES]  # type: ignore[valid-type] # they are known when it runs
    answer: str | None = None
    """The only right answer."""
    pattern: Pattern = ""
    """The pattern that the answer, without blanks around it, must fit in full."""
    contains: tuple[str, ...] = ()
    """Texts that the answer must hold, where no letter or digit touches them."""
    lacks: tuple[str, ...] = ()
    """Texts that the answer must not hold."""
    states: str = ""
    """An answer whose values, in any format, the answer must hold too."""
    references: tuple[WorldPath, ...] = ()
    """The paths that must be cited. Without this key and the next two, citations are not graded."""
    tolerated: tuple[WorldPath, ...] = ()
    """Paths that may be cited as well."""
    free: tuple[str, ...] = ()
    """Beginnings of paths that may all be cited, such as `/docs/`."""
    change: tuple[Change, ...] = ()
    """The files that must change. No other file may."""


class Question(Frozen):
    """A question that `ask` saved: its trials have the calls of `ask` over the task's files, and no tools."""

    write: str = ""
    """The folder that scripts may write; empty for none."""
    earlier: str = ""
    """The conversation that it continues, as JSON."""


class TaskFile(Frozen):
    """A whole task.toml."""

    instruction: str = Field(min_length=1)
    trees: tuple[str, ...] = Field(("files",), max_length=20)
    """The folders, seen from task.toml, whose files the trial has; a later one covers an earlier one."""
    rules: WorldPath = "/AGENTS.MD"
    """The document of the workspace's rules, if that file exists."""
    clock: datetime | None = None
    """The clock of the task's world; a time without a zone is UTC."""
    tool: tuple[Tool, ...] = Field((), max_length=50)
    question: Question | None = None
    mcp: dict[str, dict[str, str]] = Field(default_factory=dict, max_length=20)
    """The MCP servers whose tools its trials use, by name: `[mcp.NAME]`. Only the user says how to start them."""
    expected: Expected | None = None
    """The required end; it may be left to a rubric, or to a `grade.py` beside the file."""
    rubric: str = Field("", max_length=20_000)
    """What a model grades the answer and the changed files by."""


KEYS: Final = [
    key
    for table in (TaskFile, Tool, ToolCall, Question, Expected, Change)
    for key in table.model_fields
]


@dataclass(frozen=True, slots=True)
class TaskText:
    """The text of a task.toml."""

    text: str
    name: str
    """Its name in messages."""
    place: str = ""
    """Its folder, relative to the folder of all tasks, with a slash at its end; empty for that folder itself."""

    def inside(self, path: str, location: Sequence[str | int]) -> str:
        """Return a path of the task.toml relative to the folder of all tasks. Raises `BenchmarkError` outside it."""
        place = os.path.normpath(f"{self.place}{path}")
        if path.startswith("/") or "\0" in path or place == ".." or place.startswith("../"):
            raise self.fault(location, f"{path[:200]!r} leads out of the folder")
        return place

    def parsed(self) -> TaskFile:
        """Return the task that the text holds. Raises `BenchmarkError`."""
        if len(self.text.encode(errors="replace")) > bounds.MOST_TEXT_BYTES or LONG_KEY.search(
            encodable(self.text)
        ):
            size = f"{bounds.MOST_TEXT_BYTES:,} bytes, and a key at most 100 parts"
            raise BenchmarkError(INVALID, f"{self.name}: it has at most {size}")
        try:
            data = tomllib.loads(self.text.removeprefix("\ufeff"))
            plain = json.loads(
                json.dumps(data, default=lambda moment: moment.isoformat(), allow_nan=False)
            )
        except tomllib.TOMLDecodeError as error:
            line = str(error).rpartition("at line ")[2].partition(",")[0]
            at = line if line.isdecimal() else len(self.text.splitlines())
            raise BenchmarkError(INVALID, f"{self.name}:{at}: this is not TOML: {error}") from None
        except (RecursionError, ValueError) as error:
            raise BenchmarkError(INVALID, f"{self.name}: this cannot be read: {error}") from None
        try:
            task = TaskFile.model_validate(plain)
        except ValidationError as error:
            keys, text = first_fault(error, KEYS)
            raise self.fault(keys, text[:300], more=error.error_count() - 1) from None
        if faults := list(_contradictions(task)):
            raise self.fault(*faults[0], more=len(faults) - 1)
        return task

    def fault(self, location: Sequence[str | int], what: str, *, more: int = 0) -> BenchmarkError:
        """Return the fault of the value at `location`; the message says that there are `more` faults."""
        parts = [str(part)[: bounds.SHOWN_VALUE_CHARS] for part in location]
        key = "".join(f"[{part}]" if part.isdecimal() else f".{part}" for part in parts)[1:]
        return BenchmarkError(
            INVALID, f"{self.name}: {key}: {what}{f' (and {more} more)' if more else ''}"
        )


def _contradictions(task: TaskFile) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield location and text of contradictions between values that are valid one by one."""
    expected = task.expected
    if (
        expected
        and expected.answer is not None
        and (expected.pattern or expected.contains or expected.lacks)
    ):
        yield (
            ("expected", "answer"),
            "answer is the only right answer: remove pattern, contains and lacks",
        )
    if task.question and task.tool:
        yield ("question",), "a question has the calls of `ask`: remove its tools"
    for at, change in enumerate(expected.change if expected else ()):
        if bool(change.file) + (change.text is not None) + change.deleted != 1:
            yield ("expected", "change", at), "exactly one of file, text and deleted must be given"
    for at, tool in enumerate(task.tool):
        if tool.path in [other.path for other in task.tool[:at]]:
            yield ("tool", at, "path"), f"{tool.path} is defined twice"
        for number, call in enumerate(tool.call):
            place = ("tool", at, "call", number)
            if bool(call.file) != bool(call.changes or call.when):
                yield (
                    place,
                    "file and set, or file and when, append or delete, need each other: give both",
                )
            elif call.delete and (call.set or call.append):
                yield place, "a call that deletes its file cannot also set or append"
            elif bool(call.row) != (
                bool(call.set or call.when) and call.file.lower().endswith((".csv", ".tsv"))
            ):
                yield (
                    place,
                    "row goes with set or when on a CSV or TSV file: it selects the row; give both",
                )
            elif call.changes and tool.kind != "changes":
                key = "set" if call.set else "append" if call.append else "delete"
                yield (*place, key), 'a tool that changes files needs kind = "changes"'
            patterns = (call.args,) if isinstance(call.args, str) else call.args
            count = sum(compiled_pattern(pattern).groups for pattern in patterns)
            written = str(
                (
                    call.prints,
                    call.error,
                    call.shows,
                    call.file,
                    call.row,
                    call.when,
                    call.set,
                    call.append,
                )
            )
            named = [int(number) for number in PLACEHOLDER.findall(written)]
            if any(number > count for number in named):
                yield place, f"{{{max(named)}}} is named, but args has {count} groups"


@dataclass(frozen=True, slots=True)
class FolderTask:
    """One task with its world."""

    task_id: str
    file: TaskFile
    files: Mapping[str, str]
    expectation: Expectation | None
    """The required end; None if only graders of its own judge."""
    grader: str = ""
    """The code of its `grade.py`; empty without one."""


def read_folder(root: Path) -> tuple[dict[str, FolderTask], str]:
    """Return the tasks of a folder by id, and a digest of their files. They are in the folder itself if it holds a
    task.toml, else in every folder in it that does.

    Raises `BenchmarkError` for a link, a file that is not text, more files or bytes than the bounds, and a wrong task.
    """
    if not root.is_dir():
        raise BenchmarkError(INVALID, f"{root}: there is no such folder")
    try:
        return _read_tasks(_Texts(root))
    except OSError as error:
        raise BenchmarkError(INVALID, f"{error.filename}: {error.strerror}") from None


def _read_tasks(texts: _Texts) -> tuple[dict[str, FolderTask], str]:
    root = texts.root
    places = [""] if (root / TASK_FILE).is_file() else []
    places += [
        f"{file.parent.name}/" for file in sorted(root.glob(f"[!.]*/{TASK_FILE}")) if file.is_file()
    ]
    if not places:
        raise BenchmarkError(INVALID, f"{root}: no folder in it holds a {TASK_FILE}")
    if "" in places and len(places) > 1:
        raise BenchmarkError(
            INVALID,
            f"{root}: it holds a {TASK_FILE} and so do folders in it; keep one or the other",
        )
    tasks = {}
    for place in places:
        task_id = place[:-1] or root.resolve().name or "task"
        if not task_id.isprintable() or len(task_id) > bounds.MOST_NAME_CHARS:
            raise BenchmarkError(
                INVALID,
                f"{str(root / place)!r}: a task's folder has a name of at most {bounds.MOST_NAME_CHARS} printable "
                "characters",
            )
        name = f"{place}{TASK_FILE}"
        if (root / place / "instruction.md").is_file() and (root / place / "environment").is_dir():
            msg = (
                f"{root / name}: this is a task of Harbor, which runs in its container (`harbor run -p {root}`); "
                "a task here has its instruction in task.toml, and its files below `files`"
            )
            raise BenchmarkError(INVALID, msg)
        tasks[task_id] = _task(task_id, texts, TaskText(texts.read(name), str(root / name), place))
    return tasks, texts.digest()


class _Texts:
    """The texts of the files below a folder, each read once, all within the bounds."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._real = Path(os.path.realpath(root))
        self._read: dict[str, str] = {}
        self._bytes = 0
        self._below: dict[str, dict[str, str]] = {}
        self._names: set[str] = set()

    def below(self, folder: str) -> dict[str, str]:
        """Return the texts below a folder, by path in a world of that folder alone."""
        if folder not in self._below:
            self._check(folder)
            top = self._real / folder
            texts = self._below[folder] = {}
            for place, folders, files in os.walk(top, onerror=_raise) if top.is_dir() else ():
                here = place.removeprefix(str(top))
                folders.sort()
                for name in folders:
                    self._check(f"{folder}{here}/{name}")
                links = [name for name in folders if Path(place, name).is_symlink()]
                texts |= {
                    f"{here}/{name}": self.read(f"{folder}{here}/{name}")
                    for name in sorted([*files, *links])
                }
        return self._below[folder]

    def read(self, name: str) -> str:
        """Return the text of a file, named relative to the root. Raises `BenchmarkError`, and `FileNotFoundError`."""
        if name not in self._read:
            text = self.read_apart(name)
            if text is None:
                raise FileNotFoundError(
                    errno.ENOENT, "there is no such file", str(self.root / name)
                )
            self._read[name] = text
            self._check(name, len(text.encode()))
        return self._read[name]

    def read_apart(self, name: str) -> str | None:
        """Return the text of a file that is no part of the world and its digest; None if it is missing."""
        self._check(name)
        try:
            data, _ = read_whole(self._real / name, self._real, bounds.MOST_TASK_BYTES) or (None, 0)
            return None if data is None else data.decode()
        except UnicodeDecodeError as error:
            why = f"it is not UTF-8 text (byte {error.start}); a task's files are texts"
        except OSError as error:
            is_link = error.errno == errno.ELOOP
            why = (
                "it is a link or below one, and links are not followed: put the file itself there"
                * is_link
            )
            why = why or error.strerror or "it cannot be read"
        raise BenchmarkError(INVALID, f"{self.root / name}: {why}")

    def digest(self) -> str:
        """Return a digest of the names and texts of all files that were read."""
        digest = hashlib.sha256()
        for name, text in sorted(self._read.items()):
            digest.update(f"{len(name)} {len(text)} {name}{text}".encode())
        return digest.hexdigest()[:12]

    def _check(self, name: str, size: int = 0) -> None:
        """Raise `BenchmarkError` for a name that a world cannot have, and for too many names or, with `size`, bytes."""
        try:
            name.encode()
            normal_path(name)
        except (UnicodeEncodeError, CallError) as error:
            why = error.message if isinstance(error, CallError) else "it is not UTF-8"
            raise BenchmarkError(
                INVALID, f"{str(self.root / name)[:300]!r}: this name cannot be used: {why}"
            ) from None
        self._names.add(name)
        self._bytes += size
        if len(self._names) > bounds.MOST_TASK_FILES or self._bytes > bounds.MOST_TASK_BYTES:
            most = f"{bounds.MOST_TASK_FILES:,} files and folders, or {bounds.MOST_TASK_BYTES // 1_000_000} MB"
            raise BenchmarkError(INVALID, f"{self.root}: it holds more than {most}; split it")


def _raise(error: OSError) -> None:
    raise error


def _task(task_id: str, texts: _Texts, source: TaskText) -> FolderTask:
    file = source.parsed()
    files = _world(texts, source, file)
    if file.rules not in files:
        rules = min(
            (path for path in files if path.casefold() == file.rules.casefold()), default=file.rules
        )
        file = file.model_copy(update={"rules": rules})
    grader = texts.read_apart(f"{source.place}{GRADE_FILE}") or ""
    expected = file.expected
    if expected is None:
        if not (grader or file.rubric):
            what = f"nothing says what is right: give [expected], a rubric, or a {GRADE_FILE} beside it"
            raise source.fault(("expected",), what)
        return FolderTask(task_id, file, files, None, grader)
    changes = {
        change.path: _wanted(texts, source, at, change, files)
        for at, change in enumerate(expected.change)
    }
    world_paths = {*files, *changes, *(tool.path for tool in file.tool)}
    for at, path in enumerate(expected.references):
        if path not in world_paths:
            raise source.fault(
                ("expected", "references", at), f"{path} is not a file of the task's world"
            )
    free = (
        expected.free if expected.model_fields_set & {"references", "tolerated", "free"} else ("/",)
    )
    return FolderTask(
        task_id,
        file,
        files,
        Expectation(
            outcome=expected.outcome,
            message=expected.answer,
            tokens=expected.contains,
            forbidden=expected.lacks,
            references=frozenset(expected.references),
            tolerated=frozenset(expected.tolerated),
            free=(*free, *(f"/mcp/{name}/" for name in file.mcp)),
            changes=changes,
        ),
        grader,
    )


def _world(texts: _Texts, source: TaskText, file: TaskFile) -> Mapping[str, str]:
    layers = list[dict[str, str]]()
    for at, tree in enumerate(file.trees):
        folder = source.inside(tree, ("trees", at))
        if folder in (".", source.place[:-1]):
            raise source.fault(
                ("trees", at), f"{tree!r} would show {TASK_FILE}, which tells what is right"
            )
        if not texts.below(folder) and tree != "files":
            raise source.fault(("trees", at), f"there is no file below {tree!r}")
        layers.insert(0, texts.below(folder))
    files = ChainMap(*layers)
    for at, tool in enumerate(file.tool):
        if tool.path in files:
            raise source.fault(("tool", at, "path"), f"{tool.path} is a file already")
    return files


def _wanted(
    texts: _Texts, source: TaskText, at: int, change: Change, files: Mapping[str, str]
) -> str | None:
    """Return the text that a file must have in the end, None if the file must be deleted."""
    location = ("expected", "change", at)
    if change.deleted:
        if change.path not in files:
            raise source.fault(
                (*location, "path"), f"{change.path} is not a file that could be deleted"
            )
        return None
    if not change.file:
        return change.text or ""
    try:
        return texts.read(source.inside(change.file, (*location, "file")))
    except OSError:
        what = f"there is no file {change.file!r} beside {TASK_FILE}"
        raise source.fault((*location, "file"), what) from None
