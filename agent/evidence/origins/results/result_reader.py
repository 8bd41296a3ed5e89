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
from controlplane.sandbox.interface import Effect, ToolSchema


class ResultReader:
    """Reads the results of one trial's calls.

    | call | texts | origin |
    |---|---|---|
    | `read("/mail/7.md")` | “Please pay 420 to GB33...” | prose (running text) |
    | `get_account(owner="Bob")` | `iban`, `GB33...` | record (fields of data) |
    | `ask_user("Which account?")` | “Take GB33...” | asked (by the user) |
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
        place = _place_of(call, call_number)
        declared = call.declared
        if declared.is_talk:
            # The result is the user's reply. If the user repeats a value of the question,
            # the value is confirmed.
            reply = leaf_texts(call.result, is_data=False)
            return ResultContent(place, reply, Origin.ASKED, confirms_arguments=True)
        if declared.is_prose:
            # It is declared that any part of the result may be by a stranger.
            texts = leaf_texts(call.result, is_data=False)
            return ResultContent(place, texts, Origin.PROSE)
        return self._read_by_effect(call, place, policy)

    def _read_by_effect(
        self, call: ReturnedCall, place: str, policy: ProvenancePolicy
    ) -> ResultContent | None:
        """Return what the result of an operation says that reads, lists, runs or changes something."""
        declared = call.declared
        # Without an origin of the whole result, the form of each text decides.
        origin = Origin.RECORD if policy.trusts(declared) else None
        match declared.effect:
            case Effect.READS if call.requested_path:
                return self._read_file(call, origin)
            case Effect.LISTS:
                return ResultContent(place, texts_of_data(text_fields(call.result)))
            case Effect.EXECUTES:
                return read_output(
                    call,
                    self._tool_schema.executable(call.requested_path),
                    place=place,
                    origin=origin,
                )
            case Effect.WRITES | Effect.DELETES | Effect.MOVES:
                return None  # The result only confirms the change.
            case _:  # A tool that works on no path, or that reads without a path
                lookup_names = policy.lookup_arguments_of(declared)
                return self._read_tool_result(call, place, origin, lookup_names)

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

    def _read_tool_result(
        self,
        call: ReturnedCall,
        place: str,
        origin: Origin | None,
        lookup_names: tuple[str, ...],
    ) -> ResultContent:
        """Return what the result of a tool says.

        `lookup_names` are the arguments by which it looks up a record: `id`. If
        `get_user(id="u7")` returns any text, it has found the user u7, even if the text does
        not show the id.
        """
        texts = texts_of_result(text_fields(call.result))
        arguments = call.arguments.values
        may_change = self._tool_schema.may_change(call.declared.name, arguments)
        if not texts or may_change:
            return ResultContent(place, texts, origin)
        found_values = [arguments.get(name) for name in lookup_names]
        return ResultContent(place, texts, origin, found_values)


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
