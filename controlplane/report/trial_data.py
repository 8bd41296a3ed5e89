"""A trial as the data from which the browser makes its page."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmark import GRADER_OUTPUT, TrialFolders
from controlplane.configuration.run_names import (
    belongs_to_a_program,
    is_of_questions,
    run_argument,
)
from controlplane.errors import JournalDamaged
from controlplane.facts.run_facts import SHOWN_QUESTION_CHARS
from controlplane.journal.tool_schema_text import tool_schema_from_text
from controlplane.journal.trial_reader import RecordedTrial
from controlplane.program_invocation import invocation
from controlplane.sandbox.files import open_regular, read_whole
from controlplane.sandbox.interface import Effect
from controlplane.terminal_text import one_line, sanitize
from controlplane.view.trial_pages.trial_pages import pages_of

_SHOWN_FILE_CHARS: Final = 200_000
"""Characters of a cited file that its trial's page holds."""


def trial_json(run: str, recorded: RecordedTrial) -> Iterator[str]:
    """Yield the JSON text of a trial in pieces, since that of a long trial is large.

    The pieces are `{"run": …, "task": …, "pages": [`, then each page, and `]}`. The script
    `2_trial_page.js` reads their fields by name. The names of a page's fields are short, because a
    report has thousands of pages.
    """
    trial = recorded.summary
    record = recorded.record
    # A command can play a trial again if it can open the benchmark by its name. A benchmark that
    # is an object of the user's program has none.
    opened = recorded.journal.summary.opened
    fork = ""
    question = sanitize(trial.instruction)
    title = one_line(trial.task)
    if opened is not None and is_of_questions(opened.benchmark):
        title = question[:SHOWN_QUESTION_CHARS] or title
    if opened is None or not belongs_to_a_program(opened.benchmark):
        fork = fork_command_without_step(recorded.journal.path, trial.trial_id)
    head = {
        "run": run,
        "task": title,
        "trial": one_line(trial.trial_id),
        "score": trial.score,
        "question": question,
        "files": _cited_files(record, trial.refs),
        "left": _left_files(recorded.journal.path, trial.trial_id),
        "fork": fork,
    }
    # Leave out the closing brace: one more field follows, the pages.
    fields_and_brace = _json(head)
    yield f'{fields_and_brace[:-1]},"pages":['
    for number, page in enumerate(pages_of(recorded, record)):
        if number:
            yield ","
        fields = {
            "title": page.title,
            "n": page.step,
            "mark": page.mark,
            "figures": page.figures,
            "parts": page.parts,
        }
        yield _json(fields)
    yield "]}"


def _json(value: object) -> str:
    """Return the compact JSON text of a value, in ASCII."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


def fork_command_without_step(journal: Path, trial_id: str) -> str:
    """Return the command `controlplane fork RUN --trial ID --step `, without the step's number.

    It plays a trial again from a step. It does not work for tasks that are objects of a Python
    program.
    """
    run = run_argument(journal)
    return f"{one_line(invocation('fork', run, '--trial', trial_id, '--step'))} "


def _cited_files(
    record: TrialRecord, refs: Iterable[str]
) -> dict[str, tuple[str, int]]:
    """Return the cited files that the trial read, by citation: the text, and a quotation's line.

    The page shows them beside the citations, so that a user can check whether they support the
    answer. `refs` are the citations of the answer, such as `/docs/a.md#row=7`. For this one, the
    result has the text of `/docs/a.md`, as the trial last read it. If a script cited it with a
    quotation, such as `harness.cite("/docs/a.md#row=7", ..., quote="21 days")`, the result also
    has the line on which "21 days" begins; else 0.
    """
    if record.started is None:
        return {}
    try:
        tool_schema = tool_schema_from_text(record.started.tool_schema)
    except JournalDamaged:
        return {}  # somebody else's journal; the rest of it can be shown

    # A world's operations have names and fields of their own. Its tool schema declares which of
    # them read a file (`Effect.READS`), by which argument they name it (`subject`), and in which
    # field of the result its content is (`json_field`, also for files that are not JSON).
    texts = {}
    for call in record.all_calls:
        operation = tool_schema.operation(call.operation)
        if operation is None or operation.effect is not Effect.READS:
            continue
        text = call.result.get(operation.json_field) if call.result else None
        if isinstance(text, str):
            path = str(call.arguments.get(operation.subject))
            texts[path] = text[:_SHOWN_FILE_CHARS]

    quotations = {}
    for step in record.step_summaries:
        for citation in step.citations:
            if citation.quote:
                quotations[citation.spelling] = citation

    files = {}
    for ref in refs:
        text = texts.get(ref.partition("#")[0])
        if text is None:
            continue
        line = 0
        if ref in quotations:
            line = quotations[ref].line
            place = text.find(quotations[ref].quote)
            if not line and place >= 0:
                line = text.count("\n", 0, place) + 1
        files[one_line(ref)] = (sanitize(text), line)
    return files


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


def _left_files(journal: Path, trial_id: str) -> dict[str, str | list[str]] | None:
    """Return what a trial has left; None if that is nothing.

    `folder` is its path on this machine, `address` the same as an address, `names` are the paths of
    the files in it (`verifier/ctrf.json`), and `output` is the last lines that the grader has printed.
    """
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
    return {
        "folder": sanitize(str(folder)),
        "address": folder.as_uri(),
        "names": [one_line(name) for name in names[:_MOST_LEFT_NAMES]],
        "output": sanitize(_end_of(folder / GRADER_OUTPUT, folder)),
    }


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
