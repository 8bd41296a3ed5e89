"""Splits the result of a call into texts, and says how far they are trusted.

A later call, `send_money(recipient="GB33...")`, may have the account from such a text. If it is
only in running text, whose author may want to trick the model, the call may be held.
"""

from __future__ import annotations

from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.results.file_result import read_file
from controlplane.agent.evidence.origins.results.program_output import read_output
from controlplane.agent.evidence.origins.results.received_call import ReceivedCall
from controlplane.agent.evidence.origins.results.result_content import ResultContent
from controlplane.agent.evidence.origins.results.result_fields import (
    leaf_texts,
    text_fields,
)
from controlplane.agent.evidence.texts.data_texts import texts_of_data
from controlplane.agent.evidence.texts.result_texts import texts_of_result
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
                return read_file(returned, self._evidence_log, origin)
            case Effect.LISTS:
                return ResultContent(place, texts_of_data(text_fields(returned.result)))
            case Effect.EXECUTES:
                program = self._tool_schema.executable(returned.requested_path)
                return read_output(returned, program, place=place, origin=origin)
            case Effect.WRITES | Effect.DELETES | Effect.MOVES:
                return None  # The result only confirms the change.

        # A tool that works on no path, or that reads without a path: `get_user(id="u7")`. If it
        # returns any text, there is a user u7, even if the text does not show the id. A tool
        # that may change something may return text without finding anything.
        texts = texts_of_result(text_fields(returned.result))
        may_change = self._tool_schema.may_change
        found_values: list[Plain] = []
        if texts and not may_change(call.declared.name, call.record.arguments):
            found_values = call.lookup_values
        return ResultContent(place, texts, origin, found_values)
