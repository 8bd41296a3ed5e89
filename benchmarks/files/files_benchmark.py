"""The benchmark `files:DIR`, with a single task: a question about the files below a folder.

The command `ask` plays it: `ask "Which invoices are open?" invoices/` is a run of this
benchmark with one trial. Nobody knows the right answer, so trials have no score.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, TypeAlias

import re2
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from controlplane import (
    BenchmarkContext,
    BenchmarkError,
    BenchmarkIdentity,
    BenchmarkOption,
    Description,
    ListedTask,
    OpenedBenchmark,
    RunRequest,
    StartedRun,
    Trial,
)
from controlplane.benchmarks.files.documents.conversion import DocumentPart
from controlplane.benchmarks.files.documents.document_converter import (
    NOT_YET_READ,
    DocumentConverter,
)
from controlplane.benchmarks.files.files_environment import RUNTIME, FilesEnvironment
from controlplane.benchmarks.files.question_schema import (
    HAS_TABLES,
    EarlierQuestions,
    FilesQuestion,
)
from controlplane.benchmarks.files.sources.file_sources import (
    MB,
    SourceFiles,
    SourceLimits,
)
from controlplane.benchmarks.files.sources.file_suffixes import (
    DOCUMENT_SUFFIXES,
    MARKUP_SUFFIXES,
    SUFFIXES_TO_SAVE_AS,
    TEXT_SUFFIXES,
    is_document,
)
from controlplane.sandbox import WorkerLimits, normal_path
from controlplane.sandbox.files import read_whole
from controlplane.sandbox.files.tool_world import TOOL_WORLD
from controlplane.sandbox.interface import CallError, bounds, error_codes
from controlplane.sandbox.interface.foreign_documents import read_json
from controlplane.sandbox.interface.outcomes import GENERAL_OUTCOMES, PLATFORM_OUTCOMES
from controlplane.text_files import is_text
from controlplane.tool_benchmark.local_runs import (
    GeneratedTrial,
    Grade,
    LocalBenchmark,
)

# Replaces the documents of a question, such as PDFs, by their texts.
#
# A document becomes a folder with a file for each part: `/report.pdf` becomes
# `/report.pdf/page-1`, `/report.pdf/page-2` and so on. So an answer can cite a page, and a script
# can read one page of a long document.

_UNUSUAL_IN_NAMES: Final = re.compile(r"[^\w .-]+")
"""Characters of a sheet's or attachment's name that a path should not have, such as `:`."""
_MAX_PART_NAME_CHARS: Final = 60


def add_documents(sources: SourceFiles, suffixes: tuple[str, ...]) -> None:
    """Replace documents by their texts: one file for each page, sheet, message or attachment.

    A document that cannot be converted is left out with a reason, except HTML and mail,
    which stay as they are.
    """
    with ExitStack() as resources:
        documents = [path for path in sources.paths if path.lower().endswith(suffixes)]
        converter = DocumentConverter(resources, len(documents))
        for path in documents:
            _replace_document(sources, path, converter)
    sources.paths = dict(sorted(sources.paths.items()))


def _replace_document(
    sources: SourceFiles, path: str, converter: DocumentConverter
) -> None:
    """Replace a document by its parts, or leave it out with the reason."""
    suffix = Path(path).suffix.lower()
    conversion = converter.convert(suffix, sources.bytes_of(path) or b"")
    is_markup = suffix in MARKUP_SUFFIXES
    if conversion.fault and conversion.fault != NOT_YET_READ and is_markup:
        # HTML and mail can be read as they are, so the file stays.
        sources.notes[path] = (f"shown as it is: it {conversion.fault}",)
        return
    sources.remove(path)
    fault = conversion.fault or _fault_of_parts(conversion.parts, suffix, sources)
    if fault:
        sources.left_out.add(fault, path)
        return
    for part in conversion.parts:
        _add_part(sources, part, path)


def _fault_of_parts(
    parts: Sequence[DocumentPart], suffix: str, sources: SourceFiles
) -> str:
    """Return why the parts of a document cannot be added to the sources; empty if they can."""
    if not any(part.text for part in parts):
        # A sheet without cells may be damaged, which its notes say.
        notes = [note for part in parts for note in part.notes]
        without_text = "no text: its pages are images" if suffix == ".pdf" else "empty"
        return "; ".join(notes) or without_text
    most_files = sources.limits.most_files
    if len(sources.paths) + len(parts) > most_files:
        return f"its {len(parts):,} parts are beyond {most_files:,.9g} files, --set most_files"
    max_mb = sources.limits.total_mb
    # A character has at least one byte.
    least_bytes = sum(len(part.text) for part in parts)
    if sources.total_bytes + least_bytes > max_mb * MB:
        return f"beyond {max_mb:,.6g} MB as text, --set total_mb"
    return ""


def _add_part(sources: SourceFiles, part: DocumentPart, document: str) -> None:
    """Add a part of a document as a separate file."""
    path = _path_of(part, document, sources)
    if path != document:
        sources.parts.setdefault(document, []).append(path)
    sources.add_text(path, part.text)
    if part.notes:
        sources.notes[path] = tuple(part.notes)


def _path_of(part: DocumentPart, document: str, sources: SourceFiles) -> str:
    """Return the path of a part below its document: `/report.xlsx/sheet-Costs.csv`."""
    if not part.place:
        return document
    names = []
    for name in part.place.split("/"):
        usual_name = _UNUSUAL_IN_NAMES.sub("-", name).strip(" .")
        names.append(usual_name[:_MAX_PART_NAME_CHARS] or "part")
    path = "/".join([document, *names])
    if path in sources.paths:  # For example, a second attachment with the same name.
        path = f"{document}/{len(sources.paths)}-{'-'.join(names)}"
    return path


# The rules of `.gitignore` files. As in git, the last rule that matches a path decides.
#
# With the lines `*.log` and `!keep.log`, git ignores `a.log` and keeps `keep.log`. The files
# of a question are found by the same rules. A library translates each line into a regular
# expression. It does not combine the rules of several folders as git does.

_MAX_FILE_BYTES: Final = 131_072
_MAX_LINES: Final = 1_000
"""The most lines of a file that are used: its last ones, because later rules override others."""


@dataclass(frozen=True, slots=True)
class _FolderRules:
    """The rules of one `.gitignore` file."""

    prefix: str
    """The path of its folder with a final slash. The rules apply to the paths below it."""
    patterns: re2.Set
    """The patterns of all rules. A search returns the indexes of the rules that match a path."""
    is_ignoring: tuple[bool, ...]
    """For each rule, True to ignore paths; False to keep them, for a line that begins with `!`."""

    def ignores(self, place: str, *, is_folder: bool) -> bool | None:
        """Return True to ignore a path, False to keep it, and None if no rule matches it."""
        path = place.removeprefix(self.prefix)
        indexes: list[int] = self.patterns.Match(f"{path}/" if is_folder else path)
        return self.is_ignoring[max(indexes)] if indexes else None


Rules: TypeAlias = tuple[_FolderRules, ...]
"""The rules of all folders that a path is in, the outermost first."""


def _rules_above(folder: Path) -> Rules:
    """Return the rules of the folders above a folder, up to the root of its repository.

    The root, which contains `.git`, is included; the folder's own rules are not. If the
    folder is the root itself, or is in no repository, there are no rules.
    """
    rules: Rules = ()
    if (folder / ".git").exists():
        return ()
    for parent in folder.parents:
        rules = (*_rules_of(parent), *rules)
        if (parent / ".git").exists():
            return rules
    return ()


def _rules_of(folder: Path) -> Rules:
    """Return the rules of a folder's own `.gitignore`, as a tuple of one; else an empty one."""
    try:
        file = read_whole(folder / ".gitignore", folder, _MAX_FILE_BYTES)
    except OSError:
        return ()
    if file is None:  # Most folders have no such file.
        return ()
    data, _mode = file
    lines = data.decode("utf-8-sig", "replace").split("\n")
    options = re2.Options()
    options.log_errors = False
    patterns = re2.Set.SearchSet(options)
    is_ignoring: list[bool] = []
    for line in lines[-_MAX_LINES:]:
        with suppress(ValueError, re2.error):  # Like git, skip invalid lines.
            pattern, ignores = GitIgnoreSpecPattern.pattern_to_regex(line.rstrip("\r"))
            if ignores is not None:  # It is a comment or empty otherwise.
                patterns.Add(_without_paths_below(str(pattern)))
                is_ignoring.append(ignores)
    if not is_ignoring:
        return ()
    patterns.Compile()
    return (_FolderRules(f"{folder}/", patterns, tuple(is_ignoring)),)


def _without_paths_below(pattern: str) -> str:
    """Change a pattern of the library so that it does not match the paths below a folder.

    Ignored folders are never entered, so only the paths of the folders themselves occur.

    | line       | pattern of the library         | result                    |
    | ---------- | ------------------------------ | ------------------------- |
    | `build/`   | `^(?:.+/)?build(?P<ps_d>/)`    | `^(?:.+/)?build/$`        |
    | `docs/**`  | `^docs/`                       | `^docs/.`                 |
    """
    pattern = pattern.replace("(?P<ps_d>/)", "/$")
    if pattern.endswith("/"):
        return f"{pattern}."  # anything in the folder, but not the folder itself
    return pattern


def _is_ignored(place: str, rules: Rules, *, is_folder: bool) -> bool:
    """Return True if the last rule that matches a path ignores it.

    The rules of inner folders come after those of outer folders.
    """
    for rules_of_folder in reversed(rules):
        ignores = rules_of_folder.ignores(place, is_folder=is_folder)
        if ignores is not None:
            return ignores
    return False


# Why a file is not one of a question's files, by its name, its kind, its size or its content.
#
# The reasons are told to the user: `binary (logo.png); hidden (.env, .git)`. Otherwise an answer
# that misses a file would look like an answer about all files.

_UNUSABLE_NAME: Final = "its name cannot be used"
_UNREADABLE: Final = "not readable"
_TYPE_BYTES: Final = 8_192
"""The number of bytes at the start of a file that show if it is a text or binary."""
_JUNK: Final = frozenset({"__pycache__", "node_modules"})
"""Folders that programs fill and nobody reads. They are treated as hidden ones."""
_JOURNALS: Final = re.compile(r"\d{8}-\d{6}-[\w.-]+\.jsonl")
"""The name of a run's journal: `20270301-101500-answers.jsonl`.

It has earlier questions and answers, which are not sources for the next one.
"""


def _has_journals(entries: Sequence[os.DirEntry[str]]) -> bool:
    """Return True if a folder with these entries has journals of runs."""
    return any(_JOURNALS.fullmatch(entry.name) for entry in entries)


def _reason_by_name(entry: os.DirEntry[str], rules: Rules) -> str:
    """Return the reason to leave out a file or folder with such a name; empty if there is none."""
    if entry.name.startswith(".") or entry.name in _JUNK:
        return "hidden"
    is_folder = entry.is_dir(follow_symlinks=False)
    if _is_ignored(entry.path, rules, is_folder=is_folder):
        return "named by .gitignore"
    return ""


def _reason_against(sources: SourceFiles, path: str, status: os.stat_result) -> str:
    """Return why a file is left out of the sources; empty to keep it.

    `status` is the result of `os.lstat`. Raises `CallError` if the path is too long or too deep.
    """
    if stat.S_ISLNK(status.st_mode):
        return "a link"
    if not stat.S_ISREG(status.st_mode):
        return "not a file"
    # A path such as `/a\nb` could not be shown, and another spelling would not be found.
    if not path.isprintable() or normal_path(path) != path:
        return _UNUSABLE_NAME
    reason = _reason_by_size(sources, path, status.st_size)
    if reason or is_document(path) or path.lower().endswith(TEXT_SUFFIXES):
        return reason
    # The suffix does not tell if it is a text, so look at the content.
    beginning = sources.first_bytes_of(path, _TYPE_BYTES)
    if beginning is None:
        return _UNREADABLE
    if is_text(beginning):
        return ""
    readable_suffix = SUFFIXES_TO_SAVE_AS.get(Path(path).suffix.lower())
    return f"not read: save it as {readable_suffix}" if readable_suffix else "binary"


def _reason_by_size(sources: SourceFiles, path: str, size: int) -> str:
    """Return the limit that a file exceeds; empty if there is none."""
    limits = sources.limits
    max_mb = limits.file_mb
    if not is_document(path):  # A large text can be read in parts.
        max_mb = max(max_mb, bounds.MOST_LARGE_MB)
    if size > max_mb * MB:
        return f"larger than {max_mb:g} MB, --set file_mb"

    is_too_much = sources.total_bytes + size > limits.total_mb * MB
    if is_too_much or len(sources.paths) >= limits.most_files:
        most = f"{limits.most_files:,.9g} files or {limits.total_mb:,.6g} MB"
        return f"beyond {most}, --set most_files and total_mb"
    return ""


# Finds the files that a question is about.
#
# Nothing outside the folder is read: links are not followed. Hidden files, files that
# `.gitignore` names, binary files and files beyond the limits are left out. For each of
# them the reason is recorded, since the user has to know what an answer could not use.


def find_sources(
    root: Path, chosen: Sequence[str] = (), **limits: float
) -> SourceFiles:
    """Return the files below `root`, or only the files and folders that `chosen` names.

    `limits` are fields of `SourceLimits`, such as `file_mb=50`. Raises
    `FileNotFoundError` if a chosen name does not exist.
    """
    sources = SourceFiles(Path(os.path.realpath(root)), SourceLimits(**limits))
    places = [sources.root / name for name in chosen]
    if not chosen:
        places = [sources.root]
    scan = _Scan(sources)
    for place in places:
        if stat.S_ISDIR(place.lstat().st_mode):
            scan.add_folder(place)
        else:
            scan.add_file(str(place))
    sources.paths = dict(sorted(sources.paths.items()))
    return sources


class _Scan:
    """Adds files and folders to the sources of a question.

    Its methods take paths on disk, such as `/home/ada/notes/a.md`.
    """

    def __init__(self, sources: SourceFiles) -> None:
        """Begin to fill these sources."""
        self.sources = sources

    def add_folder(self, top: Path) -> None:
        """Add the files below a folder, except those that its `.gitignore` rules leave out."""
        remaining = [(str(top), _rules_above(top))]
        while remaining:
            folder, rules = remaining.pop()
            try:
                entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
            except OSError:
                self._leave_out(_UNREADABLE, folder)
                continue
            # Journals of runs are left out, unless the question is about their own folder.
            if folder != str(top) and _has_journals(entries):
                self._leave_out("journals of runs", folder)
                continue

            if any(entry.name == ".gitignore" for entry in entries):
                rules = (*rules, *_rules_of(Path(folder)))
            for entry in entries:
                reason = _reason_by_name(entry, rules)
                if reason:
                    self._leave_out(reason, entry.path)
                elif entry.is_dir(follow_symlinks=False):
                    remaining.append((entry.path, rules))
                else:
                    self.add_file(entry.path)

    def add_file(self, real_path: str) -> None:
        """Add a file, or record why it is left out."""
        sources = self.sources
        path = self._path_of(real_path)
        try:
            status = os.lstat(real_path)
            reason = _reason_against(sources, path, status)
        except OSError:
            reason = _UNREADABLE
        except CallError:  # From `_reason_against`: the path is too long or too deep.
            reason = _UNUSABLE_NAME
        if reason:
            self._leave_out(reason, real_path)
            return
        sources.add(path, status.st_size)
        if status.st_size > sources.limits.file_mb * MB:
            sources.large.add(path)

    def _leave_out(self, reason: str, real_path: str) -> None:
        """Record why a file is left out. Signs of its name that are not UTF-8 become `?`."""
        path = self._path_of(real_path)
        self.sources.left_out.add(reason, path.encode("utf-8", "replace").decode())

    def _path_of(self, real_path: str) -> str:
        """Return a file's path in the sources: `/notes/a.md`."""
        return "/" + real_path.removeprefix(str(self.sources.root)).lstrip("/")


# Reads a question about files from the settings of a run.
#
# `ask --continue "And in March?" invoices/` gives a question, a folder, and the earlier questions
# and answers. They reach the benchmark `files` as settings, which are texts: the list of chosen
# files and the conversation are JSON.


def _read_question(root: Path, settings: Mapping[str, str]) -> FilesQuestion:
    """Return the question in the settings of a run, with the files that it is about.

    `{"question": "Which invoices are open?", "only": '["2026"]', "file_mb": "50"}`. Raises
    `BenchmarkError` if there is no question, if a file cannot be read, or if a setting has a
    wrong value.
    """
    text = settings.get("question", "").strip()
    if not text:
        msg = "what is the question? Give it to `ask`, or as --set question=..."
        raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)
    try:
        limits = {
            name: float(settings.get(name) or default)
            for name, default in asdict(SourceLimits()).items()
        }
        chosen = list(map(str, read_json(settings.get("only", "[]"))))
        sources = find_sources(root, chosen, **limits)
        add_documents(sources, DOCUMENT_SUFFIXES)
        earlier = None
        if settings.get("earlier"):
            earlier = EarlierQuestions.model_validate_json(settings["earlier"])
    except OSError as error:
        raise BenchmarkError(
            error_codes.INVALID_ARGUMENT, f"{error.filename or root}: {error.strerror}"
        ) from error
    except (ValueError, TypeError) as error:
        numbers = ", ".join(asdict(SourceLimits()))
        msg = f"the settings only and earlier must be JSON, {numbers} numbers: {error}"
        raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg) from error
    outcomes = GENERAL_OUTCOMES
    if settings.get("outcomes") == "platform":
        outcomes = PLATFORM_OUTCOMES
    return FilesQuestion(text, sources, settings.get("write", ""), earlier, outcomes)


# A hash of the files of a question, which changes if the files change.
#
# A resumed run repeats its calls on the same files. If the hash is another one, the results
# would be others, and the run is refused.


def _digest_of(sources: SourceFiles) -> str:
    """Return the hash.

    If the files are too large to read them all, the sizes and modification times
    are hashed instead of the texts. Texts that are not on disk have only a size.
    """
    digest = hashlib.sha256()
    is_small = sources.total_bytes <= bounds.MOST_SEARCHED_BYTES
    for path, size in sources.paths.items():
        digest.update(f"{path}\0{size}\0".encode("utf-8", "surrogateescape"))
        if is_small:
            digest.update(sources.bytes_of(path) or b"")
        elif path not in sources.texts_in_memory:
            status = os.lstat(f"{sources.root}{path}")
            digest.update(str(status.st_mtime_ns).encode())
    return digest.hexdigest()[:12]


NAME: Final = "files"
TASK: Final = "ask"

_MODULES_WITHOUT_TABLES: Final = (TOOL_WORLD, RUNTIME)
WORKER_MODULES: Final = (
    (*_MODULES_WITHOUT_TABLES, "controlplane.benchmarks.files.tables.tables")
    if HAS_TABLES
    else _MODULES_WITHOUT_TABLES
)
"""The modules that a trial's worker process imports before it isolates itself.

The one for tables takes a second to load. It is left out if the folder has no tables.
"""
WORKER_LIMITS: Final = WorkerLimits(
    call_cpu_s=20.0, call_wall_s=60.0, memory_bytes=2**30, message_bytes=250_000_000
)
"""Enough for a table of 100 MB."""
OPTIONS: Final = (
    BenchmarkOption("question", "the question"),
    BenchmarkOption(
        "only",
        'only these folders and files below DIR, as a JSON list: ["docs", "notes.md"]',
    ),
    BenchmarkOption(
        "write", "the folder below DIR that scripts may write to, such as docs"
    ),
    BenchmarkOption(
        "file_mb",
        f"larger files are left out, in MB; {bounds.MOST_FILE_MB:g} unless set",
    ),
    BenchmarkOption(
        "total_mb",
        f"files beyond this total are left out, in MB; {bounds.MOST_TOTAL_MB:,g} unless set",
    ),
    BenchmarkOption(
        "most_files",
        f"files beyond this number are left out; {bounds.MOST_QUESTION_FILES:,} unless set",
    ),
    BenchmarkOption(
        "earlier",
        "what was asked and found before, as JSON; `ask --continue` fills it in",
    ),
    BenchmarkOption(
        "outcomes",
        "how an answer may end: as with `ask` (`general`), or as on the platform (`platform`), which `mcp` serves",
        ("general", "platform"),
    ),
)


def open_benchmark(
    argument: str, settings: Mapping[str, str], context: BenchmarkContext
) -> OpenedBenchmark:
    """Open the folder that the argument names: `invoices/` of `files:invoices/`.

    `settings` has the question and other options (`OPTIONS`). Raises `BenchmarkError` if there
    is no question, or if the folder has no text files that it can be about.
    """
    root = Path(argument or ".").expanduser().absolute()
    question = _read_question(root, settings)
    sources = question.sources
    if not sources.paths and not question.writable:
        msg = f"{root}: there is no text file to ask"
        if sources.left_out_text:
            msg += f": skipped: {sources.left_out_text}"
        raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)

    benchmark = _FilesBenchmark(question, context.notify)
    return OpenedBenchmark(
        benchmark,
        resume_identity=BenchmarkIdentity(f"{NAME}:{root}", settings),
        worker_modules=(
            WORKER_MODULES if question.may_have_tables else _MODULES_WITHOUT_TABLES
        ),
        worker_limits=WORKER_LIMITS,
        world_version=_digest_of(sources),
        rebuilds_trials=True,  # A resumed trial gets a new world from the same files.
        tool_schemas=benchmark.tool_schemas,
        # The reason why trials cannot run on other machines.
        stays_here="its files lie on this machine; use --workers threads",
        files=sources,  # `ask --save-task` saves them with the question.
    )


class _FilesBenchmark(LocalBenchmark):
    """One question about files. Created once for each run."""

    def __init__(self, question: FilesQuestion, notify: Callable[[str], None]) -> None:
        """Create the benchmark. `notify` tells the user what a run should not begin without."""
        super().__init__(NAME, (TASK,), has_scores=False)
        self._question = question
        self._sources = question.sources
        self._notify = notify

    def describe(self, preview_seed: int | None = None) -> Description:
        """Return the only task."""
        count = len(self._sources)
        files = "1 file" if count == 1 else f"{count:,} files"
        title = f"a question to {files} below {self._sources.root}"
        return Description(NAME, title, (ListedTask(TASK, self._question.text),))

    def start_run(self, request: RunRequest) -> StartedRun:
        """Create a trial for each try, and notify the user of files that are left out."""
        if self._sources.left_out_text:
            self._notify(f"skipped: {self._sources.left_out_text}")
        if self._sources.has_tables and not HAS_TABLES:
            self._notify(
                "scripts have no harness.table: it needs the extra tables (pip install -e '.[tables]')"
            )
        return super().start_run(request)

    def generate(self, trial_id: str) -> GeneratedTrial:
        """Create a trial's world. Raises `BenchmarkError` if the text is not a trial's id."""
        # Only to raise the error: all trials have the same task.
        self.parts_of(trial_id)
        environment = FilesEnvironment(self._question)
        trial = Trial(
            trial_id, TASK, self._question.text, environment, environment.use_worker
        )
        return GeneratedTrial(trial, grade=lambda: Grade(None))  # No score.
