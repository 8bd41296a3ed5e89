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
from controlplane.agent.evidence.origins.results.record_result import read_record
from controlplane.agent.evidence.origins.results.result_content import ResultContent
from controlplane.agent.evidence.origins.results.result_fields import (
    all_texts,
    text_fields,
)
from controlplane.agent.evidence.texts.data_texts import texts_of_data
from controlplane.sandbox.interface import Effect, ToolSchema


class ResultReader:
    """Reads the results of one trial's calls.

    | the operation | its result | is trusted |
    |---|---|---|
    | 1. talks to the user | “Take GB33...” | `ASKED`: the user has named the account |
    | 2. is declared as prose | a web page | `PROSE`: any part may be by a stranger |
    | 3. reads a file | “Please pay 420 to GB33...” | by the form of each text |
    | 4. lists a folder | `/mail/7.md` | by its form: paths are data |
    | 5. runs a program | `{"words": 12}` | by the form of each text |
    | 6. writes a file | that it was done | None: it tells nothing |
    | 7. any other | `{"owner": "Bob", "iban": "GB33..."}` | by the form of each text |

    By its form, a field of data is a record, and any other text is running text.
    """

    def __init__(self, tool_schema: ToolSchema, evidence_log: EvidenceLog) -> None:
        self._tool_schema = tool_schema
        self._evidence_log = evidence_log

    def read(self, call: ReceivedCall) -> ResultContent | None:
        """Return what the result of a call says. None if it has no text that tells anything."""
        returned = call.returned
        if call.declared.is_talk:
            # If the reply repeats a value of the question, the user has confirmed the value.
            reply = all_texts(returned.result, is_data=False)
            return ResultContent(
                call.place, reply, Origin.ASKED, confirms_arguments=True
            )
        if call.declared.is_prose:
            texts = all_texts(returned.result, is_data=False)
            return ResultContent(call.place, texts, Origin.PROSE)

        # If the user trusts all results of the operation, their form does not matter.
        origin = Origin.RECORD if call.is_trusted else None
        match call.declared.effect:
            case Effect.READS if returned.requested_path:
                return read_file(returned, self._evidence_log, origin)
            case Effect.LISTS:
                texts = texts_of_data(text_fields(returned.result))
                return ResultContent(call.place, texts)
            case Effect.EXECUTES:
                program = self._tool_schema.executable(returned.requested_path)
                return read_output(returned, program, place=call.place, origin=origin)
            case Effect.WRITES | Effect.DELETES | Effect.MOVES:
                return None
        return read_record(call, self._tool_schema, origin)
