"""A trial as the data from which the browser makes its page."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import Any, Final

from controlplane.agent.events import CallRecord, Citation
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmark import GRADER_OUTPUT, TrialFolders
from controlplane.configuration.continuation import belongs_to_a_program
from controlplane.errors import JournalDamaged
from controlplane.journal.tool_schema_text import tool_schema_from_text
from controlplane.journal.trial_reader import RecordedTrial
from controlplane.report.trial_commands import fork_command_without_step
from controlplane.sandbox.files import open_regular, read_whole
from controlplane.sandbox.interface import Effect, ToolSchema
from controlplane.terminal_text import one_line, sanitize
from controlplane.view.trial_pages.trial_pages import Page, pages_of

# The files that an answer cites, with their texts, for the page of a trial.
#
# The page shows beside each citation what the trial read in that file, so that a user can check
# whether it supports the answer.

_SHOWN_FILE_CHARS: Final = 200_000
"""Characters of a cited file that its trial's page holds."""


@dataclass(frozen=True, slots=True)
class _CitedFileText:
    """The text of a cited file as the trial last read it."""

    text: str
    line: int
    """The line on which a quotation begins; 0 without one."""


def cited_files(record: TrialRecord, refs: Iterable[str]) -> dict[str, _CitedFileText]:
    """Return the cited files that the trial read, by citation.

    `refs` are the citations of the answer, such as `/docs/a.md#row=7`. For this one, the result
    has the text of `/docs/a.md`, as the trial last read it. If a script cited it with a
    quotation, such as `harness.cite("/docs/a.md#row=7", ..., quote="21 days")`, the result also
    has the line on which "21 days" begins.
    """
    if record.started is None:
        return {}
    try:
        tool_schema = tool_schema_from_text(record.started.tool_schema)
    except JournalDamaged:
        return {}  # somebody else's journal; the rest of it can be shown

    text_by_path = {}
    for call in record.all_calls:
        file = _read_file(call, tool_schema)
        if file is not None:
            text_by_path[file.path] = file.text[:_SHOWN_FILE_CHARS]

    quotation_by_ref = {}
    for step in record.step_summaries:
        for citation in step.citations:
            if citation.quote:
                quotation_by_ref[citation.spelling] = citation

    files = {}
    for ref in refs:
        path = ref.partition("#")[0]
        if path not in text_by_path:
            continue
        text = text_by_path[path]
        line = 0
        if ref in quotation_by_ref:
            line = _quoted_line(quotation_by_ref[ref], text)
        files[ref] = _CitedFileText(text, line)
    return files


@dataclass(frozen=True, slots=True)
class _ReadFile:
    path: str
    text: str


def _read_file(call: CallRecord, tool_schema: ToolSchema) -> _ReadFile | None:
    """Return the file that a call read; None if it read none.

    A world's operations have names and fields of their own. Its tool schema declares which of
    them read a file (`Effect.READS`), by which argument they name it (`subject`), and in which
    field of the result its content is (`json_field`, also for files that are not JSON).
    """
    operation = tool_schema.operation(call.operation)
    if operation is None or operation.effect is not Effect.READS or call.result is None:
        return None
    text = call.result.get(operation.json_field)
    if not isinstance(text, str):
        return None
    path = call.arguments.get(operation.subject)
    return _ReadFile(str(path), text)


def _quoted_line(citation: Citation, text: str) -> int:
    """Return the line of a text on which a quotation begins; 0 if the text does not have it."""
    if citation.line:
        return citation.line
    place = text.find(citation.quote)
    if place < 0:
        return 0
    return text.count("\n", 0, place) + 1


# The files that a trial has left beside the journal, such as the output of its grader.
#
# The grader and the agent have written them. So they are shown as texts, and no link is followed.

_MOST_LEFT_NAMES: Final = 200
"""The most files of a trial that its page names."""
_OUTPUT_BYTES: Final = 4_000
_OUTPUT_LINES: Final = 20
"""How much of the grader's output a page shows: its end."""
_MOST_FILE_BYTES: Final = 50_000_000
"""The longest file that the server of `view` gives."""


@dataclass(frozen=True, slots=True)
class _LeftFiles:
    """What a trial has left. `2_trial_page.js` reads these fields by their names."""

    folder: str
    """Its path on this machine."""
    address: str
    """The same as an address: `file:///home/ann/runs/a/trial-1`."""
    names: list[str]
    """The paths of the files in it: `verifier/ctrf.json`."""
    output: str
    """The last lines that the grader has printed."""


def _left_files(journal: Path, trial_id: str) -> _LeftFiles | None:
    """Return what a trial has left; None if that is nothing."""
    folder = TrialFolders.beside(journal.absolute()).of(trial_id)
    if folder is None:
        return None
    names: list[str] = []
    for place, folder_names, file_names in os.walk(folder):
        folder_names.sort()
        for name in sorted(file_names):
            path = Path(place, name)
            if path.is_file() and not path.is_symlink():
                names.append(path.relative_to(folder).as_posix())
        if len(names) > _MOST_LEFT_NAMES:
            break
    if not names:
        return None
    return _LeftFiles(
        sanitize(str(folder)),
        folder.as_uri(),
        [one_line(name) for name in names[:_MOST_LEFT_NAMES]],
        sanitize(_end_of(folder / GRADER_OUTPUT, folder)),
    )


def _end_of(path: Path, folder: Path) -> str:
    """Return the last lines of a file in a folder; empty if it cannot be read."""
    try:
        with open_regular(path, folder) as (file, status):
            file.seek(max(status.st_size - _OUTPUT_BYTES, 0))
            content = file.read(_OUTPUT_BYTES)
    except OSError:
        return ""
    lines = content.decode("utf-8", "replace").splitlines()
    return "\n".join(lines[-_OUTPUT_LINES:])


def left_file(recorded: RecordedTrial, name: str) -> bytes | None:
    """Return the content of a file that a trial has left; None if there is none, or it is too long."""
    folder = TrialFolders.beside(recorded.journal.path).of(recorded.summary.trial_id)
    if folder is None or ".." in Path(name).parts:
        return None
    try:
        file = read_whole(folder / name, folder, _MOST_FILE_BYTES)
    except (OSError, ValueError):  # `ValueError` for a name with a NUL.
        return None
    return None if file is None else file[0]


@dataclass(frozen=True, slots=True)
class _PageData:
    """One page of a trial.

    The script `2_trial_page.js` reads these fields by their names, which are short
    because a report has thousands of pages.
    """

    title: str
    n: int | None
    """The number of the step; 0 for the initial prompt, None for the end."""
    mark: str
    """✗ if the gates rejected an answer in the step, ✓ if they accepted one, else empty."""
    figures: str
    """The step's tokens, cost and time in words."""
    parts: list[tuple[Any, ...]]
    """The parts of the page, each as the fields of a `Part` in their order."""


@dataclass(frozen=True, slots=True)
class _TrialData:
    """A trial without its pages.

    `2_trial_page.js` reads a JSON object with these fields, and with `pages` as one more.
    """

    run: str
    task: str
    trial: str
    score: float | None
    question: str
    files: dict[str, tuple[str, int]]
    """By citation, the text of the cited file, and the line on which the quotation begins."""
    left: _LeftFiles | None
    """The files that it has left beside the journal; None if there are none."""
    fork: str
    """The command that plays the trial again from a step, without the number of the step.

    For example, `controlplane fork RUN --trial ID --step `. Empty if the task is an object
    of a Python program, which no command knows.
    """


def trial_json(run: str, recorded: RecordedTrial) -> Iterator[str]:
    """Yield the JSON text of a trial in pieces, since that of a long trial is large.

    The pieces are `{"run": …, "task": …, "pages": [`, then each page, and `]}`.
    """
    trial = recorded.summary
    record = recorded.record
    files = {}
    for ref, cited in cited_files(record, trial.refs).items():
        files[one_line(ref)] = (sanitize(cited.text), cited.line)
    # A command can play a trial again if it can open the benchmark by its name. A benchmark that
    # is an object of the user's program has none.
    opened = recorded.journal.summary.opened
    fork = ""
    if opened is None or not belongs_to_a_program(opened.benchmark):
        fork = fork_command_without_step(recorded.journal.path, trial)
    data = _TrialData(
        run=run,
        task=one_line(trial.task),
        trial=one_line(trial.trial_id),
        score=trial.score,
        question=sanitize(trial.instruction),
        files=files,
        left=_left_files(recorded.journal.path, trial.trial_id),
        fork=fork,
    )
    # Leave out the closing brace: one more field follows, the pages.
    fields_and_brace = _json(asdict(data))
    yield f'{fields_and_brace[:-1]},"pages":['
    for number, page in enumerate(pages_of(recorded, record)):
        if number:
            yield ","
        yield _json(asdict(_page_data(page)))
    yield "]}"


def _json(value: object) -> str:
    """Return the compact JSON text of a value, in ASCII."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


def _page_data(page: Page) -> _PageData:
    parts = [astuple(part) for part in page.parts]
    return _PageData(page.title, page.step, page.mark, page.figures, parts)
