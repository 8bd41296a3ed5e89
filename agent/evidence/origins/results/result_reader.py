"""Splits the result of a call into texts, and says how far they are trusted.

A later call, `send_money(recipient="GB33...")`, may have the account from such a text. If it is
only in running text, whose author may want to trick the model, the call may be held.
"""

from __future__ import annotations

from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.results.program_output import read_output
from controlplane.agent.evidence.origins.results.received_call import ReceivedCall
from controlplane.agent.evidence.origins.results.result_content import (
    ResultContent,
    leaf_texts,
    text_fields,
)
from controlplane.agent.evidence.texts.data_texts import texts_of_data, texts_of_file
from controlplane.agent.evidence.texts.result_text import ResultText
from controlplane.agent.evidence.texts.result_texts import texts_of_result
from controlplane.agent.evidence.texts.returned_call import ReturnedCall
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

    def read(self, call: ReceivedCall) -> ResultContent | None:
        """Return what the result of a call says. None if it has no text that tells anything."""
        returned = call.returned
        place = call.place
        if call.declared.is_talk:
            # The user's reply. If it repeats a value of the question, the value is confirmed.
            reply = leaf_texts(returned.result, is_data=False)
            return ResultContent(place, reply, Origin.ASKED, confirms_arguments=True)
        if call.declared.is_prose:
            # Such as a web page, any part of which may be by a stranger.
            texts = leaf_texts(returned.result, is_data=False)
            return ResultContent(place, texts, Origin.PROSE)

        origin = Origin.RECORD if call.is_trusted else None
        match call.declared.effect:
            case Effect.READS if returned.requested_path:
                return self._read_file(returned, origin)
            case Effect.LISTS:
                return ResultContent(place, texts_of_data(text_fields(returned.result)))
            case Effect.EXECUTES:
                program = self._tool_schema.executable(returned.requested_path)
                return read_output(returned, program, place=place, origin=origin)
            case Effect.WRITES | Effect.DELETES | Effect.MOVES:
                return None  # The result only confirms the change.
            case _:  # A tool that works on no path, or that reads without a path
                return self._read_tool(call, origin)

    def _read_file(
        self, returned: ReturnedCall, origin: Origin | None
    ) -> ResultContent | None:
        """Return what a read of a file says. None if the trial itself wrote the file."""
        path = returned.requested_path
        if self._evidence_log.is_own(path):
            return None
        listed_path = self._evidence_log.listed_path(path)
        texts = _file_texts(returned, listed_path)
        return ResultContent(listed_path, texts, origin, found_values=[path])

    def _read_tool(self, call: ReceivedCall, origin: Origin | None) -> ResultContent:
        """Return what the result of a tool says: `get_user(id="u7")` -> `{"name": "Ada"}`.

        If it has any text, there is a user u7, even if the text does not show the id. A tool
        that may change something may return text without finding anything.
        """
        texts = texts_of_result(text_fields(call.returned.result))
        found_values: list[Plain] = []
        if texts and not self._may_change(call):
            found_values = call.lookup_values
        return ResultContent(call.place, texts, origin, found_values)

    def _may_change(self, call: ReceivedCall) -> bool:
        """Return True if a call may change something."""
        return self._tool_schema.may_change(call.declared.name, call.record.arguments)


def _file_texts(returned: ReturnedCall, path: str) -> list[ResultText]:
    """Return the texts in the result of a read: `{"content": "Please pay", "title": "Rent"}`.

    One field has the file's text. The others, such as a title, are data.
    """
    text_field = returned.declared.json_field or "content"
    texts: list[ResultText] = []
    for name, value in text_fields(returned.result).items():
        if name == text_field and isinstance(value, str):
            texts += texts_of_file(path, value)
        elif name != "path":
            texts += texts_of_data({name: value})
    return texts
