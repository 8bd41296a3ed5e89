"""Writes runs as OpenTelemetry spans, in OTLP JSON lines that the collector's file receiver reads.

Names and attributes follow OpenTelemetry's semantic conventions for generative AI:
`invoke_agent` is a trial, `chat` a model request, and `execute_tool` a call to the
environment.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, TextIO

from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.report.export.csv_table import text_file
from controlplane.report.export.otlp import Span, attributes_of
from controlplane.report.export.trial_spans import trial_spans

MOST_LINE_CHARS: Final = 16_000_000
"""A trial's spans are divided into lines of about this length at most, since programs that
read line by line keep a whole line in memory."""


def write_spans(target: Path, paths: Sequence[Path]) -> int:
    """Write the spans (timed model requests, calls and trials) of journals; return their number.

    Most trials take one line. Each span is written at once, so that only one is in memory.
    """
    count = 0
    with text_file(target) as file:
        for path in paths:
            with open_journal(path) as journal:
                for trial in journal.trials.values():
                    count += _write_lines(file, journal, trial_spans(trial))
    return count


def _write_lines(file: TextIO, journal: Journal, spans: Iterable[Span]) -> int:
    """Write a trial's spans in one line, or several if it gets too long; return their number."""
    count = 0
    line_chars = 0
    for span in spans:
        text = json.dumps(span)
        if line_chars == 0:
            file.write(_start_of_line(journal))
        elif line_chars + len(text) > MOST_LINE_CHARS:
            file.write(END_OF_LINE)
            file.write(_start_of_line(journal))
            line_chars = 0
        else:
            file.write(", ")
        file.write(text)
        line_chars += len(text)
        count += 1
    if count:
        file.write(END_OF_LINE)
    return count


def _start_of_line(journal: Journal) -> str:
    """Return the beginning of a line, up to its first span. It names the run."""
    version = journal.opened.versions.controlplane
    names = {
        "service.name": "controlplane",
        "service.version": version,
        "controlplane.run": journal.run,
    }
    resource = json.dumps({"attributes": attributes_of(names)})
    scope = json.dumps({"name": "controlplane", "version": version})
    return (
        f'{{"resourceSpans": [{{"resource": {resource}, '
        f'"scopeSpans": [{{"scope": {scope}, "spans": ['
    )


END_OF_LINE: Final = "]}]}]}\n"
"""Closes the brackets that `_start_of_line` opens."""
