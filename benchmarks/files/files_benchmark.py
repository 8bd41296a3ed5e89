"""The benchmark `files:DIR` for the control plane: one task, the question about the files below a folder.

The benchmark has no grader: the score is absent.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from controlplane import (
    BenchmarkContext,
    BenchmarkError,
    BenchmarkIdentity,
    BenchmarkOption,
    Description,
    OpenedBenchmark,
    RunRequest,
    StartedRun,
    TaskStub,
    Trial,
    decode_text,
)
from controlplane.benchmarks.files.documents import add_documents
from controlplane.benchmarks.files.file_sources import (
    DOCUMENT_SUFFIXES,
    TABLE_SUFFIXES,
    SourceFiles,
    find_sources,
    words_of,
)
from controlplane.benchmarks.files.files_runtime import PASSAGES, TABLE
from controlplane.local_benchmark import GeneratedTrial, Grade, LocalBenchmark, LocalEnvironment
from controlplane.sandbox import FileTree, WorkerLimits, normal_path
from controlplane.sandbox.files import WorldFiles, sha256_of
from controlplane.sandbox.files.tool_world import TOOL_WORLD
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    Effect,
    InitialCall,
    NamedFiles,
    Operation,
    Parameter,
    Plain,
    ResultField,
    ToolSchema,
    bounds,
    error_codes,
)

NAME: Final = "files"
TASK: Final = "ask"
INVALID: Final = error_codes.INVALID_ARGUMENT
HAS_TABLES: Final = bool(find_spec("duckdb") and find_spec("fsspec"))
WORKER_MODULES: Final = (
    *(TOOL_WORLD, "controlplane.benchmarks.files.files_runtime"),
    *(("controlplane.benchmarks.files.tables",) if HAS_TABLES else ()),
)
WORKER_LIMITS: Final = WorkerLimits(
    call_cpu_s=20.0, call_wall_s=60.0, memory_mb=1_024, message_bytes=250_000_000
)
"""A table of 100 MB fits."""
OPTIONS: Final = (
    BenchmarkOption("question", "the question"),
    BenchmarkOption("only", 'folders and files below DIR, as a JSON list, as ["docs", "notes.md"]'),
    BenchmarkOption("write", "the folder below DIR that scripts may write to, as docs"),
    BenchmarkOption(
        "file_mb", f"larger files are left out, in MB; {bounds.MOST_FILE_MB:g} unless set"
    ),
    BenchmarkOption(
        "total_mb",
        f"MB of all files, further ones are left out; {bounds.MOST_TOTAL_MB:,g} unless set",
    ),
    BenchmarkOption(
        "most_files", f"files, further ones are left out; {bounds.MOST_FILES:,} unless set"
    ),
    BenchmarkOption(
        "earlier", "what was asked and found before, as JSON; `ask --continue` fills it in"
    ),
)
BOUNDS: Final = {
    "file_mb": bounds.MOST_FILE_MB,
    "total_mb": bounds.MOST_TOTAL_MB,
    "most_files": bounds.MOST_FILES,
}
EARLIER: Final = Operation(
    "earlier",
    (),
    (ResultField("shown"), ResultField("scratchpad")),
    "the questions and answers before this one; .scratchpad is what the last scratchpad held",
    Effect.NONE,
)


SEARCH: Final = Operation(
    "search",
    (
        *(
            Parameter("pattern", "str"),
            Parameter("root", "str", "/"),
            Parameter("limit", "int", 10),
        ),
        *(
            Parameter("files", "str", ""),
            Parameter("context", "int", 0),
            Parameter("files_only", "bool", False),
        ),
    ),
    (
        ResultField("matches", ("path", "line", "text", "first")),
        ResultField("truncated"),
        ResultField("searched"),
    ),
    'lines below root that a regular expression (RE2) matches, in files that a glob fits (files="*.py" or a path), '
    "with lines of context around each, from line .first, or with files_only only the first of a file. .searched says "
    "how far it came",
    Effect.LISTS,
    subject="root",
)
READ_MANY: Final = Operation(
    "read_many",
    (Parameter("files", "str"), Parameter("root", "str", "/"), Parameter("start", "int", 0)),
    (ResultField("files", ("path", "line", "text")), ResultField("total"), ResultField("next")),
    'the texts of all files below root that a glob fits ("*.txt" or a path), in one call; if they are too long for it, '
    ".next is the start for the next call, else 0",
    Effect.LISTS,
    subject="root",
)
SOURCES: Final = Operation(
    "sources",
    (),
    (ResultField("left_out"), ResultField("versions")),
    "what was left out or is not searched, and files that are versions of one another, newest first",
    Effect.NONE,
)


class Earlier(BaseModel):
    """The conversation that a question continues."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run: str
    said: tuple[tuple[str, str], ...]
    """Every question with its answer, in order."""
    scratchpad: dict[str, Any]
    """The scratchpad at the end of the last run."""
    read: dict[str, str]
    """The hash of every file that was cited, by path; empty if only passages of it were shown."""


def open_benchmark(
    argument: str, settings: Mapping[str, str], context: BenchmarkContext
) -> OpenedBenchmark:
    """Open the folder that the argument names. Raises `BenchmarkError` for a missing folder."""
    root = Path(argument or ".").expanduser().absolute()
    question = settings.get("question", "").strip()
    if not question:
        raise BenchmarkError(
            INVALID, "what is the question? Give it to `ask`, or as --set question=..."
        )
    try:
        limits = {name: float(settings.get(name) or unset) for name, unset in BOUNDS.items()}
        sources = find_sources(
            root, [str(name) for name in json.loads(settings.get("only", "[]"))], **limits
        )
        add_documents(sources, DOCUMENT_SUFFIXES)
        earlier = Earlier.model_validate_json(said) if (said := settings.get("earlier")) else None
    except OSError as error:
        raise BenchmarkError(INVALID, f"{error.filename or root}: {error.strerror}") from error
    except (ValueError, TypeError) as error:
        raise BenchmarkError(
            INVALID,
            f"the settings only and earlier must be JSON, {', '.join(BOUNDS)} numbers: {error}",
        ) from error
    if not sources.paths and not settings.get("write"):
        left_out = sources.left_out_text()
        raise BenchmarkError(
            INVALID, f"{root}: there is no text file to ask{': ' + left_out if left_out else ''}"
        )
    identity = BenchmarkIdentity(f"{NAME}:{root}", settings)
    make = partial(FilesEnvironment, sources, question, settings.get("write", ""), earlier)
    benchmark = FilesBenchmark(sources, question, make, context.notify)
    return OpenedBenchmark(
        benchmark,
        resume_identity=identity,
        worker_modules=WORKER_MODULES
        if sources.has_tables or settings.get("write")
        else WORKER_MODULES[:2],
        worker_limits=WORKER_LIMITS,
        world_version=sources.digest,
        rebuilds_trials=True,
        stays_here="its files lie on this machine; use --workers threads",
        files=sources,
    )


def tool_schema_of(
    sources: SourceFiles, question: str, writable: str, earlier: Earlier | None
) -> ToolSchema:
    """Return the tool schema of a trial. The initial prompt shows the earlier questions, the tree, and the likeliest
    passages."""
    changing = () if writable else (Effect.WRITES, Effect.DELETES)
    files = [
        operation._replace(summary=f"{operation.summary}; below {normal_path(writable)} alone")
        if operation.effect in (Effect.WRITES, Effect.DELETES)
        else operation
        for operation in FILE_OPERATIONS
        if operation.name not in ("exec", SEARCH.name) and operation.effect not in changing
    ]
    initial_calls = [InitialCall("earlier")] if earlier else []
    versions = sources.versions
    initial_calls += (
        [InitialCall(SOURCES.name)] if sources.left_out or sources.large or versions else []
    )
    depth = _depth_that_fits(sources)
    if depth:
        initial_calls.append(InitialCall("tree", {"root": "/", "level": depth}, longest_listing=20))
    else:
        whole: dict[str, Plain] = {
            "name": "*",
            "root": "/",
            "kind": "files",
            "limit": bounds.SHOWN_FILES,
        }
        initial_calls.append(InitialCall("find", whole))
    if any(
        "#" in path for path in sources.paths
    ):  # Else a citation of one would be a place in another file.
        parts: dict[str, Plain] = {
            "name": "*#*",
            "root": "/",
            "kind": "files",
            "limit": bounds.MOST_NAMED_AMONG,
        }
        initial_calls.append(InitialCall("find", parts))
    initial_calls.append(InitialCall("passages", {"words": question[:1_000], "limit": 12}))
    read = earlier.read if earlier else {}
    texts = {path: sources.get(path) for path in read}
    known = [
        path
        for path, text in texts.items()
        if text is not None and read[path] in ("", sha256_of(text))
    ]
    initial_calls += [
        InitialCall("read", {"path": path}) for path in known
    ]  # cited before, and not changed since
    roots = tuple(
        sorted({f"/{path.split('/')[1]}" for path in sources.paths if path.count("/") > 1})
    )
    is_small = depth and len(sources.paths) <= bounds.MOST_NAMED_AMONG and roots
    return ToolSchema(
        operations=(
            *(*files, READ_MANY, SEARCH, PASSAGES, SOURCES),
            *([TABLE] if HAS_TABLES and (sources.has_tables or writable) else []),
            *([EARLIER] if earlier else []),
        ),
        initial_calls=tuple(initial_calls),
        named_files=NamedFiles(roots) if is_small else None,
    )


def _depth_that_fits(sources: SourceFiles) -> int:
    """Return the depth to which a tree may be drawn; 0 if even its first level holds too much."""
    parts = (path.split("/") for path in sources.paths)
    places = {"/".join(names[:length]) for names in parts for length in range(2, len(names) + 1)}
    seen = sorted(Counter(place.count("/") for place in places).items())
    # Files and folders in the tree of the initial prompt; the tree is drawn as deep as that allows.
    return sum(drawn <= 400 for drawn in accumulate(count for _, count in seen))


def part_of(path: str, end_line: int) -> str:
    """Return the calls that open a part of a large file."""
    is_table = HAS_TABLES and path.lower().endswith(TABLE_SUFFIXES)
    found = (
        f"harness.table({path!r}, where=...)"
        if is_table
        else f"harness.search(pattern, root={path!r})"
    )
    return f"harness.read({path!r}, start_line=1, end_line={end_line}) or {found}"


class FilesEnvironment(LocalEnvironment):
    """The files of a question."""

    def __init__(
        self,
        sources: SourceFiles,
        question: str,
        writable: str,
        earlier: Earlier | None,
        clock: datetime | None = None,
    ) -> None:
        below = normal_path(writable).rstrip("/") + "/" if writable else ""
        tree = FileTree(
            sources,
            writable=lambda path: bool(below) and f"{path}/".startswith(below) and "/." not in path,
        )
        tool_schema = tool_schema_of(sources, question, writable, earlier)
        super().__init__(tool_schema, WorldFiles(sources, WORKER_MODULES[1]), tree, clock)
        self._earlier = earlier
        self._sources = sources

    def now(self) -> datetime | None:
        """Return the clock of a saved question, else the machine's: questions speak of today."""
        return self._clock or datetime.now(UTC)

    def result_of(self, operation: str, arguments: dict[str, Any]) -> dict[str, Plain]:
        """Return the result of a call; say what to do instead of a read that is too large for a script.

        A write of characters that the file's encoding lacks is refused at once: the model can find other words.
        """
        if (
            operation == "write"
            and (data := self._sources.bytes_of(str(arguments["path"]))) is not None
        ):
            try:
                decode_text(data).encode(str(arguments["content"]))
            except ValueError as error:
                raise CallError(
                    INVALID, f"{arguments['path']} {error}: use other characters"
                ) from None
        if operation == READ_MANY.name:
            return self._read_many(**arguments)
        document = normal_path(str(arguments.get("path", "")))
        if operation == "read" and (parts := self._sources.parts.get(document)):
            whole = "\n\n".join(
                f"[{part[len(document) + 1 :]}]\n{self._sources[part]}" for part in parts
            )
            result = FileTree({document: whole}).read(**arguments)
        else:
            try:
                result = super().result_of(operation, arguments)
            except CallError as error:
                if error.code == error_codes.NOT_FOUND and (
                    reason := self._sources.reason_of(document)
                ):
                    raise CallError(error.code, f"{document} was left out: {reason}") from None
                raise
        content = result.get("content")
        if (
            operation == "read"
            and isinstance(content, str)
            and len(content) > bounds.MOST_READ_CHARS
        ):
            path, lines = str(result["path"]), content.count("\n") + 1
            part = max(bounds.MOST_READ_CHARS * lines // len(content) // 1_000 * 1_000, 1)
            size = f"these {lines:,} lines of {path} have {len(content):,} characters"
            msg = f"{size}, and one read returns at most {bounds.MOST_READ_CHARS:,}: {part_of(path, part)} opens a part"
            raise CallError(error_codes.RESOURCE_EXHAUSTED, msg)
        return result

    def _read_many(self, files: str, root: str, start: int) -> dict[str, Plain]:
        """Return the texts of files, as many as one result holds."""
        # Bytes of the result of one `read_many`, as JSON.
        paths, room = self.tree.paths(root, files), 900_000
        texts = list[Plain]()
        for path in paths[max(start, 0) :]:
            text = self.tree.text(path) or ""
            room -= len(json.dumps([path, text])) + 30
            if room < 0 and texts:
                return {"files": texts, "total": len(paths), "next": max(start, 0) + len(texts)}
            texts.append({"path": path, "line": 1, "text": text[: bounds.MOST_READ_CHARS]})
        return {"files": texts, "total": len(paths), "next": 0}

    def _about_sources(self) -> dict[str, Plain]:
        """Return what the first message adds to the names of a question's files."""
        lines = [text] if (text := self._sources.left_out_text().removeprefix("skipped: ")) else []
        large = sorted(self._sources.large)[: bounds.SHOWN_FILES]
        lines += [f"{path}: {part_of(path, 1_000)} opens a part of it" for path in large]
        versions = [family[:30] for family in self._sources.versions[:30]]
        return {
            "left_out": list[Plain](lines),
            "versions": [list[Plain](family) for family in versions],
        }

    def tool_result(self, operation: str, arguments: dict[str, Any]) -> dict[str, Plain]:
        """Return the result of a call; this process holds earlier answers, and looks for the likeliest files."""
        if operation == EARLIER.name and self._earlier is not None:
            said = "\n\n".join(
                f"Question: {question}\nAnswer: {answer}" for question, answer in self._earlier.said
            )
            return {"shown": said, "scratchpad": self._earlier.scratchpad}
        if operation == SOURCES.name:
            return self._about_sources()
        if operation == PASSAGES.name:
            if not (stems := words_of(arguments["words"])):
                raise CallError(INVALID, "passages(words) needs at least one word")
            found = {
                "likeliest": self._sources.likeliest(stems),
                "heads": self._sources.table_heads(stems),
            }
            arguments = {**arguments, "stems": stems, **found}
        return super().tool_result(operation, arguments)

    def knows_file(self, path: str) -> bool:
        """Say whether a file is or was at `path`; a document that became several files is one."""
        return path in self._sources.parts or super().knows_file(path)


class FilesBenchmark(LocalBenchmark):
    """One question over files."""

    def __init__(
        self,
        sources: SourceFiles,
        question: str,
        make: Callable[[], FilesEnvironment],
        notify: Callable[[str], None],
    ) -> None:
        super().__init__(NAME, (TASK,), has_scores=False)
        self._sources, self._question, self._make, self._notify = sources, question, make, notify

    def describe(self, preview_seed: int | None = None) -> Description:
        """Return the one task."""
        count = f"{len(self._sources):,} file{'s' * (len(self._sources) != 1)}"
        return Description(
            NAME,
            f"a question to {count} below {self._sources.root}",
            (TaskStub(TASK, self._question),),
        )

    def start_run(self, request: RunRequest) -> StartedRun:
        """Make a trial for each try, and say in one line which files are left out."""
        if line := self._sources.left_out_text():
            self._notify(line)
        if self._sources.has_tables and not HAS_TABLES:
            self._notify(
                "scripts have no harness.table: it needs the extra tables (pip install -e '.[tables]')"
            )
        return super().start_run(request)

    def generate(self, trial_id: str) -> GeneratedTrial:
        """Make a trial's world. Raises `BenchmarkError` for anything but a trial's id."""
        self.parts_of(trial_id)
        environment = self._make()
        trial = Trial(trial_id, TASK, self._question, environment, environment.use_worker)
        return trial, lambda: Grade(None)
