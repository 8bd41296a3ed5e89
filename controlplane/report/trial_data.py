"""A trial as the data from which the browser makes its page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from controlplane.agent.events import Citation
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.configuration.continuation import belongs_to_a_program, run_argument
from controlplane.errors import JournalDamaged
from controlplane.journal.tool_schema_text import tool_schema_from_text
from controlplane.journal.trial_reader import RecordedTrial
from controlplane.program_invocation import invocation
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
    if opened is None or not belongs_to_a_program(opened.benchmark):
        fork = fork_command_without_step(recorded.journal.path, trial.trial_id)
    head = {
        "run": run,
        "task": one_line(trial.task),
        "trial": one_line(trial.trial_id),
        "score": trial.score,
        "question": sanitize(trial.instruction),
        "files": _cited_files(record, trial.refs),
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
        path = ref.partition("#")[0]
        if path in texts:
            line = 0
            if ref in quotations:
                line = _quoted_line(quotations[ref], texts[path])
            files[one_line(ref)] = (sanitize(texts[path]), line)
    return files


def _quoted_line(citation: Citation, text: str) -> int:
    """Return the line of a text on which a quotation begins; 0 if the text does not have it."""
    if citation.line:
        return citation.line
    place = text.find(citation.quote)
    if place < 0:
        return 0
    return text.count("\n", 0, place) + 1
