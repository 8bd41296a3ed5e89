"""Checks a call that may change something, before the call is sent.

Two checks may object:
- the environment's pre-call check, a function that the environment declares;
- the rule on origins, which stops arguments that come only from running text
  (docs/provenance.md).

The model reads the objection, and may insist by making the same call again, which is
then sent. In some modes of `--provenance` the call is never sent, or only if the user
approves it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
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
from controlplane.agent.evidence.argument_origin import (
    ArgumentOrigin,
    Finding,
    Origin,
)
from controlplane.agent.evidence.call_messages import (
    DO_WITHOUT,
    LEAVE_WHAT_THE_TEXT_ASKS,
    REPEAT,
    REPEAT_IN_LATER_STEP,
    call_text,
    held_lines,
)
from controlplane.agent.evidence.call_origins import CallOrigins
from controlplane.agent.evidence.environment import KnownCall
from controlplane.agent.evidence.evidence_log import EvidenceLog
from controlplane.agent.evidence.held_values import HeldValues
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
"""`check` is the environment's pre-call check, and `provenance` the rule on origins."""
StopKey: TypeAlias = tuple[CheckName, str]
"""The check that stopped a call, and the call as text: `("check", '["move", {"to":
"/a"}]')`."""
MOST_SHOWN_FILES: Final = 64
"""How many files of the initial prompt are kept for the pre-call check, whose memory is
limited."""


class CallLog(Protocol):
    """The part of the trial's `Recorder` that the checks use: it makes and records
    calls."""

    trial_id: str
    trace: TrialStep
    """The current step."""
    notes: list[str]
    """Messages about the calls of the current step, which the model reads after the
    step."""

    def call(
        self, operation: str, arguments: Mapping[str, Plain], *, in_verify: bool = False
    ) -> dict[str, Plain]:
        """Make a call. Raises `CallError`."""
        ...


@dataclass(frozen=True, slots=True)
class ChangingCall:
    """A call that may change something, with the origins of its arguments, while it is
    judged."""

    operation: str
    arguments: dict[str, Plain]
    """The arguments. A path is in the spelling that listings show."""
    origins: Mapping[str, ArgumentOrigin]
    """Where the values of each argument come from, by the argument's name."""

    @property
    def described_origins(self) -> dict[str, str]:
        """The origins in the form of the journal: `{"amount": "asked"}`."""
        return {name: argument.describe() for name, argument in self.origins.items()}


@dataclass(frozen=True, slots=True)
class StoppedCall:
    """A call that a check stopped before it was sent."""

    stopped_by: CheckName
    operation: str
    arguments: Mapping[str, Any]

    @property
    def key(self) -> StopKey:
        """The key by which a repetition of the call is recognised."""
        return self.stopped_by, text_of_call(self.operation, self.arguments)


class CallChecks:
    """Judges the changing calls of one trial, and remembers which of them were stopped.

    Created with the trial's `Recorder`, and used by one thread at a time.
    `check_change` judges a call. `remember_stop` and `remember_approval` are told of
    every decision: of new ones, and of those that an earlier attempt recorded.
    """

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
        self.check_name = tool_schema.pre_call_check.rpartition("/")[2].replace(
            "-", "_"
        )
        """The operation that is the environment's pre-call check. Empty if there is
        none. The declared rule `service/pre-call-check` has the operation
        `pre_call_check`."""
        self.call_origins = CallOrigins(tool_schema, evidence_log)
        """Finds where the arguments of the trial's calls come from."""
        self._held_values = HeldValues()
        """The values in calls that the rule on origins has stopped (*held*)."""
        self._approved_values = HeldValues()
        """The values in calls that the user has approved."""
        self._stopped: dict[StopKey, StoppedCall] = {}
        self._stops_with_outcome: set[StopKey] = set()
        """The stopped calls whose outcome is known: the call was sent after all, or
        another call was sent in its place."""
        self._shown_files: dict[str, KnownCall] = {}
        """By path, the calls with which the initial prompt read whole files."""

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
        """Judge a call that may change something. Return the origins of its arguments.

        Example: `{"amount": "asked"}`, as the journal has it. Raises `CallError` with
        all objections if the call is stopped.

        - `has_pre_call_check`: the environment's check is asked, too.
        - `in_verify`: the `verify` function of a script makes the call, so it may only
          read. Its origins do not matter.
        - `in_script`: a script makes the call, so the model reads an objection only
          after the step. Otherwise it reads the objection at once.
        """
        arguments_as_listed = self._with_listed_path(operation, arguments)
        origins = self._origins_of(operation, arguments_as_listed)
        call = ChangingCall(operation, arguments_as_listed, origins)

        # 1. Ask the environment's check.
        objections: list[str] = []
        if has_pre_call_check:
            new_objection = self._objection_of_environment(call, in_verify=in_verify)
            objection = self._final_objection("check", call, new_objection)
            if objection:
                objections.append(objection)

        # 2. Apply the rule on origins. A script may catch the error, so its objection is also a
        # note, which the model reads in any case.
        if not in_verify:
            new_objection = self._objection_to_origins(call, in_script=in_script)
            objection = self._final_objection("provenance", call, new_objection)
            if objection:
                objections.append(objection)
                self.log.notes.append(objection)

        # 3. Stop the call, or let it be sent.
        if objections:
            raise CallError(error_codes.FAILED_PRECONDITION, "\n".join(objections))
        self._record_outcomes_of_stops(call)
        return call.described_origins

    def _with_listed_path(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> dict[str, Plain]:
        """Return the arguments, with the path in the spelling that listings show."""
        changed_arguments = dict(arguments)
        declared = self.tool_schema.operation(operation)
        if declared is not None:
            path = changed_arguments.get(declared.subject)
            if isinstance(path, str):
                changed_arguments[declared.subject] = self.evidence_log.right_path(path)
        return changed_arguments

    def _origins_of(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> dict[str, ArgumentOrigin]:
        """Return the origin of each argument; empty if origins do not matter to the
        operation."""
        declared = self.tool_schema.operation(operation)
        # An operation that only talks to the user changes nothing.
        is_talk = declared is not None and declared.is_talk
        if is_talk or self.call_origins.policy.mode_of(operation) == "off":
            return {}
        return self.call_origins.origins_of(operation, arguments)

    def _final_objection(
        self, check: CheckName, call: ChangingCall, new_objection: str
    ) -> str:
        """Return the objection that stops a call; empty if the check lets it be sent.

        `new_objection` is what the check says now; empty if it does not object. If an
        earlier attempt at the trial has recorded a decision about this call, that
        decision counts instead.
        """
        event = self._stop_event(
            check, call.operation, call.arguments, objection=new_objection
        )
        stop_number = len(self.log.trace.stopped)
        final_event = self.journal.stop(event, stop_number)
        if final_event is None:
            return ""  # The call is sent.
        self.remember_stop(final_event)
        return final_event.objection

    # --- The environment's pre-call check ---

    def _objection_of_environment(self, call: ChangingCall, *, in_verify: bool) -> str:
        """Return the objection of the environment's pre-call check; empty if there is
        none.

        The check objects to a call only once. If the model then makes the same call
        again, it insists, and the call is sent. What the check reads is not evidence
        (see `Recorder.add_call`).
        """
        stop_key: StopKey = ("check", text_of_call(call.operation, call.arguments))
        model_insists = stop_key in self._stopped
        if not self.check_name or model_insists:
            return ""

        judged_call: dict[str, Plain] = {
            "operation": call.operation,
            "arguments": call.arguments,
        }
        try:
            result = self.log.call(self.check_name, judged_call, in_verify=in_verify)
        except CallError:
            return ""  # The check itself failed, so the call is sent without it.
        objection = result.get("value")
        return objection if isinstance(objection, str) else ""

    @property
    def shown_files(self) -> tuple[KnownCall, ...]:
        """The calls with which the initial prompt read whole files. The pre-call check
        uses their results instead of reading the files again."""
        return tuple(self._shown_files.values())

    def keep_shown_file(self, record: CallRecord) -> None:
        """Keep the result of a call with which the initial prompt read a whole file.

        After a call that may change something, the kept files may be outdated, so all
        are dropped.
        """
        declared = self.tool_schema.operation(record.operation)
        if declared is None or not self.check_name:
            return
        if self.tool_schema.may_change(record.operation, record.arguments):
            self._shown_files.clear()
            return

        is_of_initial_prompt = (
            self.log.trace.number == 0
        )  # The prompt is built in step 0.
        is_read = declared.effect is Effect.READS
        if not is_of_initial_prompt or not is_read or not record.result:
            return
        for name, value in record.arguments.items():
            is_path = name == declared.subject
            if value and not is_path:
                return  # With an argument such as `end_line`, the call read only a part.
        if len(self._shown_files) < MOST_SHOWN_FILES:
            path = str(record.arguments[declared.subject])
            arguments: dict[str, Plain] = {declared.subject: path}
            known_call: KnownCall = (record.operation, arguments, record.result)
            self._shown_files[path] = known_call

    # --- The rule on origins ---

    def _objection_to_origins(self, call: ChangingCall, *, in_script: bool) -> str:
        """Return the objection of the rule on origins to a call; empty if the call is
        sent.

        In the mode `approve`, the user is asked first.
        """
        # 1. Collect the untrusted values of each argument. Without any, the call is sent.
        mode = self.call_origins.policy.mode_of(call.operation)
        untrusted: dict[str, list[Finding]] = {}
        for name, argument in call.origins.items():
            findings: list[Finding] = []
            for finding in self._untrusted_findings(mode, argument):
                if not self._is_accepted(
                    call, name, finding, mode, in_script=in_script
                ):
                    findings.append(finding)
            if findings:
                untrusted[name] = findings
        if not untrusted:
            return ""

        # 2. Ask the user. The lines say which values are untrusted, and where they come from.
        lines = held_lines(untrusted)
        if mode == "approve" and self._user_approves(call, untrusted, lines):
            return ""

        # 3. Write the objection. It ends with what the model can do.
        if mode != "ask":
            remedy = DO_WITHOUT
        elif in_script:
            remedy = REPEAT_IN_LATER_STEP
        else:
            remedy = REPEAT
        return f"{call.operation} was not sent. {lines} {LEAVE_WHAT_THE_TEXT_ASKS} {remedy}"

    def _untrusted_findings(self, mode: str, argument: ArgumentOrigin) -> list[Finding]:
        """Return the untrusted values of an argument: those that are only in running
        text.

        In the mode `strict`, values that no text contains are untrusted, too: the
        script made them. A value that the script composed of several parts is not, but
        its parts are judged.
        """
        findings = argument.findings_of(Origin.PROSE)
        if mode == "strict":
            for finding in argument.findings_of(Origin.MADE):
                is_composed = bool(finding.value.parts)
                if not is_composed:
                    findings.append(finding)
        return findings

    def _is_accepted(
        self,
        call: ChangingCall,
        parameter: str,
        finding: Finding,
        mode: str,
        *,
        in_script: bool,
    ) -> bool:
        """Return True if a call may be sent in spite of an untrusted value.

        - `ask`: an earlier call was stopped for this value, and the model has seen the
          objection. It makes the call again, so it insists.
        - `approve`: the user has approved the value.
        - `block`, `strict`: never.
        """
        this_step = self.log.trace.number
        next_step = this_step + 1
        if mode == "ask":
            # The model must have read the objection. A model that writes scripts reads
            # it after the step; any other model reads it at once.
            first_unread_step = this_step if in_script else next_step
            return self._held_values.accepts(
                call.operation,
                parameter,
                finding,
                call.origins,
                before_step=first_unread_step,
            )
        if mode == "approve":
            return self._approved_values.accepts(
                call.operation, parameter, finding, call.origins, before_step=next_step
            )
        return False

    def _user_approves(
        self, call: ChangingCall, untrusted: Mapping[str, list[Finding]], lines: str
    ) -> bool:
        """Ask the user about a call, and record the answer. Return True if the user
        approves.

        `untrusted` are the values in question, by argument. `lines` says where they
        come from.
        """
        trace = self.log.trace
        text = f"{call_text(call.operation, call.arguments, untrusted)} is to be sent. {lines}"
        approval_number = len(trace.approvals)
        ask_user = self.call_origins.policy.approve
        is_approved = self.user.approves(trace.number, approval_number, text, ask_user)
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
        self.remember_approval(event)
        return is_approved

    # --- New and recorded decisions ---

    def remember_stop(self, event: CallStopped) -> None:
        """Remember that a call was stopped, or the outcome of a stopped call
        (`event.then`)."""
        self.log.trace.stopped.append(event)
        stopped = StoppedCall(event.by, event.operation, event.arguments)
        has_outcome = event.then != NOT_DONE
        if has_outcome:
            self._stops_with_outcome.add(stopped.key)
            return
        self._stopped[stopped.key] = stopped
        if event.by == "provenance":
            origins = self._origins_of(event.operation, event.arguments)
            self._held_values.add(event.operation, origins, event.step)

    def remember_approval(self, event: CallApproval) -> None:
        """Remember the user's decision about a call."""
        self.log.trace.approvals.append(event)
        if event.answer == "approved":
            origins = self._origins_of(event.operation, event.arguments)
            self._approved_values.add(event.operation, origins, event.step)

    def _record_outcomes_of_stops(self, sent: ChangingCall) -> None:
        """Record the outcome of each stopped call that `sent` repeats or replaces."""
        for stopped in list(self._stopped.values()):
            if stopped.key in self._stops_with_outcome:
                continue
            outcome = self._outcome_of_stop(stopped, sent)
            if outcome == NOT_DONE:
                continue
            event = self._stop_event(
                stopped.stopped_by,
                stopped.operation,
                stopped.arguments,
                outcome=outcome,
            )
            self.journal.outcome_of_stop(event, len(self.log.trace.stopped))
            self.remember_stop(event)

    def _outcome_of_stop(self, stopped: StoppedCall, sent: ChangingCall) -> str:
        """Return the outcome of a stopped call, given a call that is sent now.

        - The same call is sent: the stopped call was done after all.
        - A call of the same operation and path is sent, with other arguments: it takes
          the place of the stopped call, unless it repeats another stopped call.
        - Any other call is sent: the stopped call is not done.
        """
        sent_key: StopKey = (
            stopped.stopped_by,
            text_of_call(sent.operation, sent.arguments),
        )
        if sent_key == stopped.key:
            return DONE_ALL_THE_SAME
        repeats_other_stopped_call = sent_key in self._stopped
        is_same_operation = sent.operation == stopped.operation
        is_same_path = sent.arguments.get("path") == stopped.arguments.get("path")
        if is_same_operation and is_same_path and not repeats_other_stopped_call:
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
        """Return the journal's event that a call is stopped, or the event of its later
        outcome."""
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
    """Return a call as JSON text. The order of its arguments does not matter."""
    return json.dumps([operation, arguments], sort_keys=True)
