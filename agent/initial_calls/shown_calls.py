"""Shows the results of calls in the first message: cuts them, and chooses their places.

The calls were made before the model is asked:

| call | shown as | its place in the message |
|---|---|---|
| `read /docs/rules.md`, for every request | whole lines | first: other trials have it, too |
| `read /loans/l-7.json`, which fits the request | whole lines, JSON without blanks | after that |
| `exec /bin/date` | whole lines | last |
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.initial_calls.call_texts import asks_for_help, outcome_text
from controlplane.agent.initial_calls.cut_texts import compact_to_line, cut_to_line
from controlplane.agent.initial_calls.prompt_sections import Place
from controlplane.agent.initial_calls.result_section import result_section
from controlplane.agent.initial_calls.section_writer import SectionWriter
from controlplane.sandbox.interface import Effect, Operation, Plain


def show_result(
    writer: SectionWriter,
    operation: Operation,
    call: CallUnderWay,
    max_chars: int | None = None,
    *,
    drawing: str | None = None,
) -> None:
    """Wait for a call of the operation, and add a section with its result, or its error.

    It has at most `max_chars` characters; None for as many as there is room. For a call that
    lists folders, `drawing` is shown instead of the result.
    """
    outcome = call.outcome()
    text = drawing
    if text is None:
        text = outcome_text(operation, outcome)
    start = cut_to_line(text, writer.room_for_result(max_chars))
    place = _usual_place(operation, outcome.arguments)
    section = result_section(place, call, start, operation, writer.tool_schema)
    writer.add(section, call, start)


def _usual_place(operation: Operation, arguments: Mapping[str, Plain]) -> Place:
    """Return the place of a section that does not depend on the request."""
    if asks_for_help(arguments):
        return Place.HELP
    if operation.effect is Effect.READS:
        return Place.DOCUMENT
    return Place.CASE


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
    section = result_section(
        Place.FITTING, call, start, operation, writer.tool_schema, remark=remark
    )
    writer.add(section, call, start)
    return sum(len(piece) for piece in section.pieces)
