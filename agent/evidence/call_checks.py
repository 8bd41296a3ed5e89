"""Checks of a call that may change something, before the call is sent.

Two checks may object: the environment's pre-call check, and the rule on where the values of the call's arguments come
from (docs/provenance.md). The model is told, and may insist: the same call is sent once the model can have seen the
objection. With some modes of `--provenance` the call is never sent, or only if the user approves it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol, TypeAlias

from controlplane.agent.events import (
    DONE_ALL_THE_SAME,
    DONE_OTHERWISE,
    NOT_DONE,
    CallApproval,
    CallRecord,
    CallStopped,
)
from controlplane.agent.evidence.call_messages import (
    ANYWHERE,
    IN_SCRIPT,
    LEAVE,
    NEVER,
    call_text,
    held_lines,
)
from controlplane.agent.evidence.call_origins import CallOrigins
from controlplane.agent.evidence.environment import KnownCall
from controlplane.agent.evidence.evidence_log import EvidenceLog
from controlplane.agent.evidence.held_values import HeldValues
from controlplane.agent.evidence.provenance import ArgumentOrigin, Finding, Origin
from controlplane.agent.evidence.tape import TapedJournal, TapedUser
from controlplane.agent.trial_record import TrialStep
from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Plain,
    ToolSchema,
    error_codes,
)

CheckName: TypeAlias = Literal["check", "provenance"]
"""The two checks: `check` is the environment's pre-call check, `provenance` the rule on origins."""
StopKey: TypeAlias = tuple[CheckName, str]
"""The check that stopped a call, and the text of the call (see `text_of_call`)."""
MOST_SHOWN_FILES: Final = 64
"""Files of the initial prompt that are kept for the pre-call check; more would not fit into its memory."""


class CallLog(Protocol):
    """What the checks use of the trial's `Recorder`."""

    trial_id: str
    trace: TrialStep
    """The current step."""
    notes: list[str]
    """What the model is told about the calls of the current step, after the step."""

    def call(
        self, operation: str, arguments: Mapping[str, Plain], *, in_verify: bool = False
    ) -> dict[str, Plain]:
        """Make a call. Raises `CallError`."""
        ...


@dataclass(frozen=True, slots=True)
class ChangingCall:
    """A call that may change something, while it is judged."""

    operation: str
    arguments: dict[str, Plain]
    """The arguments, with the path in the spelling that listings show."""
    origins: Mapping[str, ArgumentOrigin]
    """By argument, where its values come from."""

    @property
    def described_origins(self) -> dict[str, str]:
        """The origins as the journal has them: {"amount": "asked"}."""
        return {name: argument.describe() for name, argument in self.origins.items()}


@dataclass(frozen=True, slots=True)
class StoppedCall:
    """A call that a check stopped before it was sent."""

    stopped_by: CheckName
    operation: str
    arguments: Mapping[str, Any]

    @property
    def key(self) -> StopKey:
        """The key under which a repetition of the call is recognised."""
        return self.stopped_by, text_of_call(self.operation, self.arguments)


class CallChecks:
    """Judges the changing calls of one trial, and knows which of them were stopped. Used by one thread at a time."""

    def __init__(
        self,
        tool_schema: ToolSchema,
        evidence_log: EvidenceLog,
        log: CallLog,
        journal: TapedJournal,
        user: TapedUser,
    ) -> None:
        self.tool_schema = tool_schema
        self.evidence_log = evidence_log
        self.log = log
        self.journal = journal
        self.user = user
        self.check_name = tool_schema.pre_call_check.rpartition("/")[2].replace("-", "_")
        """The operation that is the environment's pre-call check, such as `pre_call_check` for the declared rule
        `service/pre-call-check`; empty if it has none."""
        self.call_origins = CallOrigins(tool_schema, evidence_log)
        """Knows where the values of the trial come from."""
        self._held_values = HeldValues()
        """The values for which the rule on origins has stopped a call."""
        self._approved_values = HeldValues()
        """The values of calls that the user has approved."""
        self._stopped: dict[StopKey, StoppedCall] = {}
        self._followed: set[StopKey] = set()
        """The stopped calls of which the journal tells what became: they were sent after all, or another call was."""
        self._shown_files: dict[str, KnownCall] = {}
        """By path, the calls by which the initial prompt read whole files."""

    # --- Judging a call ---

    def check_change(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        *,
        has_pre_call_check: bool,
        in_verify: bool = False,
        in_script: bool = False,
    ) -> dict[str, str]:
        """Judge a call that may change something. Return where its arguments come from, for the journal.

        Raises `CallError` with all objections if the call is stopped. `in_script` is true for a call of a script, whose
        model reads an objection only when the step has ended; another model reads it at once. What the pre-call check
        reads is not evidence.
        """
        right_arguments = self._with_right_path(operation, arguments)
        origins = self._origins_of(operation, right_arguments)
        call = ChangingCall(operation, right_arguments, origins)

        objections: list[str] = []
        if has_pre_call_check:
            found_by_check = self._objection_of_environment(call, in_verify=in_verify)
            objection = self._decide("check", call, found_by_check)
            if objection:
                objections.append(objection)
        if not in_verify:
            found_in_origins = self._objection_to_origins(call, in_script=in_script)
            objection = self._decide("provenance", call, found_in_origins)
            if objection:
                objections.append(objection)
                self.log.notes.append(objection)

        if objections:
            raise CallError(error_codes.FAILED_PRECONDITION, "\n".join(objections))
        self._record_outcomes_of_stops(call)
        return call.described_origins

    def _with_right_path(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the arguments with the path in the spelling that listings show."""
        right_arguments = dict(arguments)
        declared = self.tool_schema.operation(operation)
        if declared is not None:
            path = right_arguments.get(declared.subject)
            if isinstance(path, str):
                right_arguments[declared.subject] = self.evidence_log.right_path(path)
        return right_arguments

    def _origins_of(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> dict[str, ArgumentOrigin]:
        """Return where each argument of a call comes from; nothing if that does not matter for the operation."""
        declared = self.tool_schema.operation(operation)
        is_talk = declared is not None and declared.is_talk
        if is_talk or self.call_origins.policy.mode_of(operation) == "off":
            return {}
        return self.call_origins.origins_of(operation, arguments)

    def _decide(self, check: CheckName, call: ChangingCall, objection: str) -> str:
        """Record what a check decided about a call, and return the objection that stops the call.

        `objection` is what the check found now, and is empty if it found nothing. If the step is one of an earlier
        attempt that is repeated, the recorded decision is returned instead. An empty text means that the call is sent.
        """
        decision = self._stop_event(check, call.operation, call.arguments, objection=objection)
        final_decision = self.journal.stop(decision, len(self.log.trace.stopped))
        if final_decision is None:
            return ""
        self.take_stopped(final_decision)
        return final_decision.objection

    # --- The environment's pre-call check ---

    def _objection_of_environment(self, call: ChangingCall, *, in_verify: bool) -> str:
        """Return the objection of the environment's pre-call check; empty if there is none.

        A call that the check has stopped before is not judged again: the model insists on it.
        """
        insists = ("check", text_of_call(call.operation, call.arguments)) in self._stopped
        if not self.check_name or insists:
            return ""
        objection: Plain = ""
        # A check that fails stops no call.
        with suppress(CallError):
            judged_call: dict[str, Plain] = {
                "operation": call.operation,
                "arguments": call.arguments,
            }
            result = self.log.call(self.check_name, judged_call, in_verify=in_verify)
            objection = result.get("value")
        return objection if isinstance(objection, str) else ""

    @property
    def shown_files(self) -> tuple[KnownCall, ...]:
        """The reads of whole files whose results are known, so that the pre-call check need not make them again."""
        return tuple(self._shown_files.values())

    def keep_shown_file(self, record: CallRecord) -> None:
        """Keep the result of a call by which the initial prompt read a whole file.

        A call that may change something empties the collection, since the files may be others after it.
        """
        declared = self.tool_schema.operation(record.operation)
        if declared is None or not self.check_name:
            return
        if self.tool_schema.may_change(record.operation, record.arguments):
            self._shown_files.clear()
            return

        is_of_initial_prompt = self.log.trace.number == 0
        if declared.effect is not Effect.READS or not is_of_initial_prompt or not record.result:
            return
        for name, value in record.arguments.items():
            if name != declared.subject and value:
                return  # An argument such as `end_line`: the call read a part of the file.
        if len(self._shown_files) < MOST_SHOWN_FILES:
            path = str(record.arguments[declared.subject])
            self._shown_files[path] = record.operation, {declared.subject: path}, record.result

    # --- The rule on origins ---

    def _objection_to_origins(self, call: ChangingCall, *, in_script: bool) -> str:
        """Return why a call is stopped because of where its values come from; empty if it is not.

        In the mode `approve` the user is asked about the call first.
        """
        mode = self.call_origins.policy.mode_of(call.operation)
        held: dict[str, list[Finding]] = {}
        """By argument, the values for which the call is stopped."""
        for name, argument in call.origins.items():
            findings: list[Finding] = []
            for finding in self._untrusted_findings(mode, argument):
                if not self._is_admitted(call, name, finding, mode, in_script=in_script):
                    findings.append(finding)
            if findings:
                held[name] = findings
        if not held:
            return ""

        lines = held_lines(held)
        if mode == "approve" and self._is_approved(call, held, lines):
            return ""
        if mode != "ask":
            remedy = NEVER
        elif in_script:
            remedy = IN_SCRIPT
        else:
            remedy = ANYWHERE
        return f"{call.operation} was not sent. {lines} {LEAVE} {remedy}"

    def _untrusted_findings(self, mode: str, argument: ArgumentOrigin) -> list[Finding]:
        """Return the values of an argument that are only in running text, and in the mode `strict` also those that are
        nowhere."""
        findings = argument.findings_of(Origin.PROSE)
        if mode == "strict":
            for finding in argument.findings_of(Origin.MADE):
                if not finding.is_composed:
                    findings.append(finding)
        return findings

    def _is_admitted(
        self,
        call: ChangingCall,
        parameter: str,
        finding: Finding,
        mode: str,
        *,
        in_script: bool,
    ) -> bool:
        """Say whether an untrusted value of a call does not stop the call.

        In the mode `ask` that is a value for which a call was stopped before, if the model can have seen why: it
        insists. In `approve` it is one that the user has approved. In `block` and `strict` there is no such value.
        """
        step = self.log.trace.number
        if mode == "ask":
            # The model of a script has seen the objections of earlier steps, another one also those of this step.
            first_unseen_step = step if in_script else step + 1
            return self._held_values.passes(
                call.operation, parameter, finding, call.origins, before_step=first_unseen_step
            )
        if mode == "approve":
            return self._approved_values.passes(
                call.operation, parameter, finding, call.origins, before_step=step + 1
            )
        return False

    def _is_approved(
        self, call: ChangingCall, held: Mapping[str, list[Finding]], lines: str
    ) -> bool:
        """Ask the user about a call, record the answer, and return whether the call may be sent.

        `held` has the values that are asked about, and `lines` says where they come from.
        """
        trace = self.log.trace
        text = f"{call_text(call.operation, call.arguments, held)} is to be sent. {lines}"
        approval_number = len(trace.approvals)
        approve = self.call_origins.policy.approve
        is_approved = self.user.approves(trace.number, approval_number, text, approve)
        event = CallApproval(
            trial_id=self.log.trial_id,
            step=trace.number,
            number=len(trace.calls),
            operation=call.operation,
            arguments=dict(call.arguments),
            text=text,
            answer="approved" if is_approved else "refused",
        )
        self.journal.approval(event, approval_number)
        self.take_approval(event)
        return is_approved

    # --- Decisions, of now or of the record ---

    def take_stopped(self, event: CallStopped) -> None:
        """Take into account that a call was stopped, or, if `event.then` says so, what became of it later."""
        self.log.trace.stopped.append(event)
        stopped = StoppedCall(event.by, event.operation, event.arguments)
        if event.then != NOT_DONE:
            self._followed.add(stopped.key)
            return
        self._stopped[stopped.key] = stopped
        if event.by == "provenance":
            origins = self._origins_of(event.operation, event.arguments)
            self._held_values.add(event.operation, origins, event.step)

    def take_approval(self, event: CallApproval) -> None:
        """Take into account what the user decided about a call."""
        self.log.trace.approvals.append(event)
        if event.answer == "approved":
            origins = self._origins_of(event.operation, event.arguments)
            self._approved_values.add(event.operation, origins, event.step)

    def _record_outcomes_of_stops(self, sent: ChangingCall) -> None:
        """Record, for each stopped call, that it is sent now, or that another call is sent in its place."""
        for stopped in list(self._stopped.values()):
            if stopped.key in self._followed:
                continue
            outcome = self._outcome_of_stop(stopped, sent)
            if outcome == NOT_DONE:
                continue
            event = self._stop_event(
                stopped.stopped_by, stopped.operation, stopped.arguments, outcome=outcome
            )
            self.journal.followed(event, len(self.log.trace.stopped))
            self.take_stopped(event)

    def _outcome_of_stop(self, stopped: StoppedCall, sent: ChangingCall) -> str:
        """Return what became of a stopped call, now that another call, or the same one, is sent.

        A call that the check had stopped itself says nothing about another stopped call.
        """
        sent_key: StopKey = (stopped.stopped_by, text_of_call(sent.operation, sent.arguments))
        if sent_key == stopped.key:
            return DONE_ALL_THE_SAME
        is_same_operation = sent.operation == stopped.operation
        is_same_path = sent.arguments.get("path") == stopped.arguments.get("path")
        if is_same_operation and is_same_path and sent_key not in self._stopped:
            return DONE_OTHERWISE
        return NOT_DONE

    def _stop_event(
        self,
        check: CheckName,
        operation: str,
        arguments: Mapping[str, Any],
        *,
        objection: str = "",
        outcome: str = NOT_DONE,
    ) -> CallStopped:
        """Return the event of a stopped call: its stop with the objection, or later its outcome."""
        trace = self.log.trace
        return CallStopped(
            trial_id=self.log.trial_id,
            step=trace.number,
            number=len(trace.calls),
            operation=operation,
            arguments=dict(arguments),
            by=check,
            objection=objection,
            then=outcome,
        )


def text_of_call(operation: str, arguments: Mapping[str, Any]) -> str:
    """Return a call as JSON text, which is the same however its arguments are ordered."""
    return json.dumps([operation, arguments], sort_keys=True)
