"""A trial as the data from which the browser makes its page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, astuple, dataclass
from typing import Any

from controlplane.configuration.continuation import belongs_to_a_program
from controlplane.journal.recorded_trial import RecordedTrial
from controlplane.report.cited_files import cited_files
from controlplane.report.trial_commands import fork_command_without_step
from controlplane.terminal_text import one_line, sanitize
from controlplane.view.trial_pages.page import Page
from controlplane.view.trial_pages.trial_pages import pages_of


@dataclass(frozen=True, slots=True)
class PageData:
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
class TrialData:
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
    data = TrialData(
        run=run,
        task=one_line(trial.task),
        trial=one_line(trial.trial_id),
        score=trial.score,
        question=sanitize(trial.instruction),
        files=files,
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


def _page_data(page: Page) -> PageData:
    parts = [astuple(part) for part in page.parts]
    return PageData(page.title, page.step, page.mark, page.figures, parts)
