"""Reads what a call has brought in: the texts of its result or error, and whom they are by.

A later call, `send_money(recipient="GB33...")`, may have the account from one of these texts. If
the text is by anybody, such as a mail, its author may want to trick the model.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.results.file_outcomes import outcome_of_file
from controlplane.agent.evidence.origins.results.outcome import Outcome
from controlplane.agent.evidence.origins.results.program_outcomes import (
    outcome_of_program,
)
from controlplane.agent.evidence.origins.results.received_call import ReceivedCall
from controlplane.agent.evidence.origins.results.result_fields import (
    all_texts,
    text_fields,
)
from controlplane.agent.evidence.origins.results.tool_outcomes import outcome_of_tool
from controlplane.agent.evidence.origins.results.trial_files import TrialFiles
from controlplane.agent.evidence.origins.values.argument_keys import keys_of_all
from controlplane.agent.evidence.texts.data_texts import texts_of_data
from controlplane.agent.evidence.texts.result_text import ResultText
from controlplane.sandbox.interface import Effect, ToolSchema


@dataclass(frozen=True, slots=True)
class OutcomeReader:
    """Reads the outcomes of one trial's calls, as their operations are declared."""

    tool_schema: ToolSchema
    files: TrialFiles

    def read(self, call: ReceivedCall) -> Outcome | None:
        """Return what a call has brought in; None if this is nothing."""
        outcome = self._outcome_of(call)
        if outcome is None or call.declared.is_talk or not call.has_unknown_keys:
            return outcome
        # Any value of the result may be one that the call has passed, so none becomes trusted.
        return replace(outcome, origin=Origin.PROSE, found_values=())

    def _outcome_of(self, call: ReceivedCall) -> Outcome | None:
        """Return what a call has brought in, if the keys of all that it has passed are known."""
        if call.record.error is not None:
            return _outcome_of_error(call, call.record.error.message)
        if call.record.result is None:
            return None
        if call.declared.is_talk:
            # The user's reply. It may repeat a value of the question, which confirms the value, so
            # there are no `passed_keys` here.
            reply = all_texts(call.result, is_data=False)
            return Outcome(call.place, reply, Origin.ASKED)
        # Any other result may repeat what was passed: a search for `u7` says "no hit for u7". So
        # the `passed_keys`, those of the passed values, do not count as brought in.
        if call.declared.is_prose:  # such as a web page
            page = all_texts(call.result, is_data=False)
            return Outcome(call.place, page, Origin.PROSE, call.passed_keys)

        match call.declared.effect:
            case Effect.READS if call.path:  # It reads a file.
                return outcome_of_file(call, self.files)
            case Effect.LISTS:
                listing = texts_of_data(text_fields(call.result))
                return Outcome(call.place, listing, passed_keys=call.passed_keys)
            case Effect.EXECUTES:
                program = self.tool_schema.executable(call.path)
                return outcome_of_program(call, program, self.files)
            case Effect.WRITES | Effect.DELETES | Effect.MOVES:
                return None  # The result only says that it was done.
            case _:  # It is a tool, such as `get_user(id="u7")`.
                return outcome_of_tool(call)


def _outcome_of_error(call: ReceivedCall, message: str) -> Outcome:
    """Return the outcome of a failed call. The message may repeat any argument, even the path."""
    place = f"the error of {call.declared.name}"
    text = ResultText(message, is_data=False)
    keys = keys_of_all(call.record.arguments.values())
    return Outcome(place, [text], Origin.PROSE, passed_keys=keys)
