"""The rule on origins: a value from running text must not decide what a call changes.

Running text, such as a mail, may be by somebody who wants to give the model orders. A
call with a value that is only there is *held*: it is not sent, and the model reads why
(docs/provenance.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from controlplane.agent.events import CallApproval
from controlplane.agent.evidence.checks.call_messages import (
    DO_WITHOUT,
    LEAVE_WHAT_THE_TEXT_ASKS,
    REPEAT,
    REPEAT_IN_LATER_STEP,
    call_text,
    held_lines,
)
from controlplane.agent.evidence.checks.held_values import HeldValues
from controlplane.agent.evidence.origins.argument_origin import (
    ArgumentOrigin,
    Finding,
    Origin,
)
from controlplane.sandbox.interface import Plain

if TYPE_CHECKING:
    from controlplane.agent.evidence.origins.call_origins import CallOrigins
    from controlplane.agent.evidence.recorder import Recorder


@dataclass(frozen=True, slots=True)
class ChangingCall:
    """A call that may change something, while it is judged."""

    operation: str
    arguments: dict[str, Plain]
    """The arguments. A path is in the spelling that listings show."""
    origins: Mapping[str, ArgumentOrigin]
    """Where the values of each argument come from, by the argument's name."""
    mode: str
    """The user's setting for this operation: `off`, `ask`, `approve`, `block` or `strict`."""

    @property
    def described_origins(self) -> dict[str, str]:
        """The origins in the form of the journal: `{"amount": "asked"}`."""
        return {name: argument.describe() for name, argument in self.origins.items()}


class OriginRule:
    """Judges the values of changing calls. Created by the trial's `CallChecks`.

    A value is *untrusted* if only running text has it, such as a mail. A call with such a
    value is *held*: it is not sent, and the model reads why.
    """

    def __init__(self, recorder: Recorder, call_origins: CallOrigins) -> None:
        self._recorder = recorder
        self._call_origins = call_origins
        self._held_values = HeldValues()
        """The values of calls that were held."""
        self._approved_values = HeldValues()
        """The values of calls that the user has approved."""

    def judged_call(self, operation: str, arguments: dict[str, Plain]) -> ChangingCall:
        """Return a call with the origins of its arguments, and the user's setting (`mode`).

        Origins do not matter to an operation that only talks to the user.
        """
        mode = self._call_origins.policy.mode_of(operation)
        declared = self._recorder.tool_schema.operation(operation)
        is_talk = declared is not None and declared.is_talk
        origins: dict[str, ArgumentOrigin] = {}
        if mode != "off" and not is_talk:
            origins = self._call_origins.origins_of(operation, arguments)
        return ChangingCall(operation, arguments, origins, mode)

    def objection(self, call: ChangingCall, *, in_script: bool) -> str:
        """Return the objection to a call; empty if the call is sent.

        `in_script` is true if a script makes the call. Its model then reads the objection
        only after the step. In the mode `approve`, the user is asked first.
        """
        untrusted = self._untrusted_values(call, in_script=in_script)
        if not untrusted:
            return ""
        reasons = held_lines(untrusted)
        if call.mode == "approve" and self._user_approves(call, untrusted, reasons):
            return ""
        remedy = DO_WITHOUT
        if call.mode == "ask":
            remedy = REPEAT_IN_LATER_STEP if in_script else REPEAT
        return (
            f"{call.operation} was not sent. {reasons} {LEAVE_WHAT_THE_TEXT_ASKS} "
            f"{remedy}"
        )

    def _untrusted_values(
        self, call: ChangingCall, *, in_script: bool
    ) -> dict[str, list[Finding]]:
        """Return the untrusted values for which a call is held, by argument.

        Each is a *finding*: a value with its origin.
        """
        untrusted: dict[str, list[Finding]] = {}
        for name, argument in call.origins.items():
            for finding in _untrusted_findings(call.mode, argument):
                if not self._is_accepted(call, name, finding, in_script=in_script):
                    untrusted.setdefault(name, []).append(finding)
        return untrusted

    def _is_accepted(
        self, call: ChangingCall, parameter: str, finding: Finding, *, in_script: bool
    ) -> bool:
        """Return True if an untrusted value may be sent.

        - `ask`: a call was held for it, and the model insists after it read why.
        - `approve`: the user has approved the value.
        - `block`, `strict`: never.
        """
        if call.mode == "ask":
            earlier_values = self._held_values
        elif call.mode == "approve":
            earlier_values = self._approved_values
        else:
            return False
        before_step = self._recorder.trace.number + 1
        if call.mode == "ask" and in_script:
            before_step -= 1  # The model has not read the objections of this step.
        return earlier_values.accepts(
            call.operation, parameter, finding, call.origins, before_step=before_step
        )

    def _user_approves(
        self, call: ChangingCall, untrusted: Mapping[str, list[Finding]], reasons: str
    ) -> bool:
        """Ask the user about a call, and record the answer."""
        recorder = self._recorder
        step = recorder.trace.number
        approval_number = len(recorder.trace.approvals)
        shown_call = call_text(call.operation, call.arguments, untrusted)
        text = f"{shown_call} is to be sent. {reasons}"
        is_approved = recorder.user.approves(
            step, approval_number, text, self._call_origins.policy.approve
        )
        event = CallApproval(
            trial_id=recorder.trial_id,
            step=step,
            number=len(recorder.calls),  # The call would be the next one of the step.
            operation=call.operation,
            arguments=dict(call.arguments),
            text=text,
            answer="approved" if is_approved else "refused",
        )
        recorder.journal.approval(event, approval_number)
        self.remember_approval(event)
        return is_approved

    # --- New and recorded decisions ---

    def remember_approval(self, event: CallApproval) -> None:
        """Remember the user's decision about a call."""
        self._recorder.trace.approvals.append(event)
        if event.answer == "approved":
            call = self.judged_call(event.operation, event.arguments)
            self._approved_values.add(call.operation, call.origins, event.step)

    def remember_held(
        self, operation: str, arguments: dict[str, Plain], step: int
    ) -> None:
        """Remember that a call was held in a step."""
        call = self.judged_call(operation, arguments)
        self._held_values.add(operation, call.origins, step)


def _untrusted_findings(mode: str, argument: ArgumentOrigin) -> list[Finding]:
    """Return the untrusted values of an argument: those that are only in running text.

    In the mode `strict`, values that no text contains are untrusted, too:
    the script made them. A value that the script composed of several parts is not,
    but its parts are judged.
    """
    findings = argument.findings_of(Origin.PROSE)
    if mode == "strict":
        for finding in argument.findings_of(Origin.MADE):
            is_composed = bool(finding.value.parts)
            if not is_composed:
                findings.append(finding)
    return findings
