"""Shows the results of calls in the first message: cuts them, and chooses their places.

The calls were made before the model is asked:

| call | shown as | `Place` in the message |
|---|---|---|
| `read /docs/rules.md`, for every request | whole lines | `DOCUMENT` |
| `exec /bin/renew --help` | whole lines | `HELP` |
| `read /loans/l-7.json`, which fits the request | whole lines, JSON without blanks | `FITTING` |
| `exec /bin/date` | whole lines | `CASE` |
"""

from __future__ import annotations

from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.initial_calls.call_texts import asks_for_help, outcome_text
from controlplane.agent.initial_calls.cut_text import CutText
from controlplane.agent.initial_calls.cut_texts import compact_to_line, cut_to_line
from controlplane.agent.initial_calls.prompt_sections import Place, Section
from controlplane.agent.initial_calls.result_section import result_section
from controlplane.agent.initial_calls.section_writer import SectionWriter
from controlplane.sandbox.interface import Effect, Operation


def show_result(
    writer: SectionWriter,
    operation: Operation,
    call: CallUnderWay,
    text: str,
    max_chars: int | None,
) -> None:
    """Add a section for a call of the operation, with the `text` of its result or its error.

    It has at most `max_chars` characters; None for as many as there is room.
    """
    arguments = call.outcome().arguments
    if asks_for_help(arguments):
        place = Place.HELP
    elif operation.effect is Effect.READS:
        place = Place.DOCUMENT
    else:
        place = Place.CASE
    start = cut_to_line(text, writer.room_for_result(max_chars))
    _add_section(writer, operation, call, start, place)


def show_fitting_file(
    writer: SectionWriter,
    operation: Operation,
    call: CallUnderWay,
    max_chars: int,
    remark: str,
) -> int:
    """Wait for the call that reads a file, add a section, and return the section's length.

    The file is shown because it fits the request. `remark` follows its title: ` (not begun)`
    says that a document is not yet in force.
    """
    text = outcome_text(operation, call.outcome())
    # The file may be a record in JSON, of which more fits without the indentation.
    start = compact_to_line(text, writer.room_for_result(max_chars))
    section = _add_section(writer, operation, call, start, Place.FITTING, remark)
    return sum(len(piece) for piece in section.pieces)


def _add_section(
    writer: SectionWriter,
    operation: Operation,
    call: CallUnderWay,
    start: CutText,
    place: Place,
    remark: str = "",
) -> Section:
    """Add the section with the start of a call's result, and let the model cite what it shows."""
    outcome = call.outcome()
    section = result_section(
        place, outcome, start, operation, writer.tool_schema, remark=remark
    )
    writer.add(section)
    if outcome.result is not None:  # An error cannot be cited.
        # JSON and Markdown are shown without some blanks, which may be cited all the same.
        writer.citable_chars[call.number] = start.source_chars
    return section
