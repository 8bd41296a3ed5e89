"""Shows the result of a declared call in the first message: cuts it, and chooses its place.

The environment declares the calls, which are made before the model is asked:

    read /docs/rules.md        Place.DOCUMENT
    exec /bin/renew --help     Place.HELP
    exec /bin/date             Place.CASE: what is different in each trial, such as the time
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.initial_calls.call_kind import asks_for_help
from controlplane.agent.initial_calls.sections.prompt_sections import Place
from controlplane.agent.initial_calls.sections.result_section import result_section
from controlplane.agent.initial_calls.sections.section_writer import SectionWriter
from controlplane.agent.initial_calls.sections.text_starts import text_start
from controlplane.sandbox.interface import Effect, Operation, Plain


def show_result(
    writer: SectionWriter,
    operation: Operation,
    call: CallUnderWay,
    text: str,
    max_chars: int | None,
) -> None:
    """Add a part of the message, a section, with the `text` of a call's result or of its error.

    It has at most `max_chars` characters; None for as many as there is room.
    """
    outcome = call.outcome()
    place = place_of(operation, outcome.arguments)
    shown = text_start(text, writer.room_for_result(max_chars))  # the first lines
    section = result_section(place, outcome, shown, operation, writer.tool_schema)
    writer.add_result(section, call, shown)


def place_of(operation: Operation, arguments: Mapping[str, Plain]) -> Place:
    """Return the place in the message for the result of a declared call."""
    if asks_for_help(arguments):
        return Place.HELP
    if operation.effect is Effect.READS:
        return Place.DOCUMENT
    return Place.CASE
