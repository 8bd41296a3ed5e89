"""Splits the result of a call into texts, and says how far they are trusted.

A later call, `send_money(recipient="GB33...")`, may have the account from such a text. If it is
only in running text, whose author may want to trick the model, the call may be held.
"""

from __future__ import annotations

from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.provenance_policy import ProvenancePolicy
from controlplane.agent.evidence.origins.results.program_output import read_output
from controlplane.agent.evidence.origins.results.result_content import (
    ResultContent,
    leaf_texts,
    text_fields,
)
from controlplane.agent.evidence.texts.call_text import ReturnedCall
from controlplane.agent.evidence.texts.result_texts import (
    ResultText,
    texts_of_data,
    texts_of_file,
    texts_of_result,
)
from controlplane.sandbox.interface import Effect, Plain, ToolSchema


class ResultReader:
    """Reads the results of one trial's calls.

    | call | texts | origin |
    |---|---|---|
    | `ask_user("Which account?")` | “Take GB33...” | `ASKED`, by the user |
    | `get_account(owner="Bob")` | `iban`, `GB33...` | None: these are fields, so records |
    | `read("/mail/7.md")` | “Please pay 420 to GB33...” | None: this is running text, so prose |

    With the origin None, the form of each text decides.
    """

    def __init__(self, tool_schema: ToolSchema, evidence_log: EvidenceLog) -> None:
        self._tool_schema = tool_schema
        self._evidence_log = evidence_log
        """Knows which files the trial wrote, and the spelling in which listings show a path."""

    def read(
        self, call: ReturnedCall, call_number: int, policy: ProvenancePolicy
    ) -> ResultContent | None:
        """Return what a result says. None if it has no text that tells anything.

        `call_number` counts the calls of the trial. `policy`, the user's setting, may declare
        that all results of an operation are trusted.
        """
        declared = call.declared
        place = _place_of(call, call_number)
        if declared.is_talk:
            # The user's reply. If it repeats a value of the question, the value is confirmed.
            reply = leaf_texts(call.result, is_data=False)
            return ResultContent(place, reply, Origin.ASKED, confirms_arguments=True)
        if declared.is_prose:
            # Such as a web page, any part of which may be by a stranger.
            texts = leaf_texts(call.result, is_data=False)
            return ResultContent(place, texts, Origin.PROSE)

        origin = Origin.RECORD if policy.trusts(declared) else None
        match declared.effect:
            case Effect.READS if call.requested_path:
                return self._read_file(call, origin)
            case Effect.LISTS:
                return ResultContent(place, texts_of_data(text_fields(call.result)))
            case Effect.EXECUTES:
                program = self._tool_schema.executable(call.requested_path)
                return read_output(call, program, place=place, origin=origin)
            case Effect.WRITES | Effect.DELETES | Effect.MOVES:
                return None  # The result only confirms the change.
            case _:  # A tool that works on no path, or that reads without a path
                texts = texts_of_result(text_fields(call.result))
                found_values = self._found_values(call, policy) if texts else []
                return ResultContent(place, texts, origin, found_values)

    def _read_file(
        self, call: ReturnedCall, origin: Origin | None
    ) -> ResultContent | None:
        """Return what a read of a file says. None if the trial itself wrote the file."""
        path = call.requested_path
        if self._evidence_log.is_own(path):
            return None
        listed_path = self._evidence_log.listed_path(path)
        texts = _file_texts(call, listed_path)
        return ResultContent(listed_path, texts, origin, found_values=[path])

    def _found_values(
        self, call: ReturnedCall, policy: ProvenancePolicy
    ) -> list[Plain]:
        """Return the arguments by which a tool has found a record: `["u7"]` for `get_user(id="u7")`.

        If the result has any text, there is a user u7, even if the text does not show the id. A
        tool that may change something has none: it may return text without finding anything.
        """
        arguments = call.arguments.values
        if self._tool_schema.may_change(call.declared.name, arguments):
            return []
        names = policy.lookup_arguments_of(call.declared)
        return [arguments.get(name) for name in names]


def _place_of(call: ReturnedCall, call_number: int) -> str:
    """Return how messages name a result: `/mail/7.md`, `call 3 of search`."""
    path = call.result.get("call_path") or call.requested_path
    if path:
        return str(path)
    return f"call {call_number} of {call.declared.name}"


def _file_texts(call: ReturnedCall, path: str) -> list[ResultText]:
    """Return the texts in the result of a read: `{"content": "Please pay", "title": "Rent"}`.

    One field has the file's text. The others, such as a title, are data.
    """
    text_field = call.declared.json_field or "content"
    texts: list[ResultText] = []
    for name, value in text_fields(call.result).items():
        if name == text_field and isinstance(value, str):
            texts += texts_of_file(path, value)
        elif name != "path":
            texts += texts_of_data({name: value})
    return texts
