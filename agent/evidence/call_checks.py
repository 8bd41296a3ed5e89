"""What is asked before a call that may change something is sent: the environment's pre-call check, and where the
call's arguments come from.

An objection stops the call once; the same call again is sent, as soon as the model can have seen the objection. The
user may demand more: a call whose values are in running text alone is then never sent, or the user is asked about it.
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

By: TypeAlias = Literal["check", "provenance"]
"""What stopped a call: the environment's check, or the rule on where arguments come from."""
MOST_SHOWN_FILES: Final = 64
"""Files of the initial prompt that are kept for the pre-call check; more would not fit into its memory."""


class CallLog(Protocol):
    """The trial's calls, as the checks use them."""

    trial_id: str
    trace: TrialStep
    notes: list[str]

    def call(
        self, operation: str, arguments: Mapping[str, Plain], *, in_verify: bool = False
    ) -> dict[str, Plain]:
        """Make a call. Raises `CallError`."""
        ...


@dataclass(frozen=True, slots=True)
class StoppedCall:
    """A call that was stopped, and by what."""

    by: By
    operation: str
    arguments: Mapping[str, Any]

    @property
    def key(self) -> tuple[str, str]:
        """What stopped it, and its text: the same call again has the same key."""
        return self.by, key_of(self.operation, self.arguments)

    @property
    def target(self) -> tuple[str, object]:
        """The operation, and the path that it was to change."""
        return self.operation, self.arguments.get("path")


class CallChecks:
    """The checks of one trial's changing calls. Used by one thread at a time."""

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
        """The operation that is the environment's pre-call check; empty if it has none."""
        self.call_origins = CallOrigins(tool_schema, evidence_log)
        self.origins: dict[str, str] = {}
        """Where each argument of the changing call that is sent next comes from."""
        self._held_values = HeldValues()
        self._approved_values = HeldValues()
        self._stopped: dict[tuple[str, str], StoppedCall] = {}
        self._followed: set[tuple[str, str]] = set()
        """The keys of stopped calls after which the same call was made, or another one with the same target."""
        self._shown_files: dict[str, KnownCall] = {}
        """By path, the calls by which the initial prompt read whole files."""

    @property
    def shown_files(self) -> tuple[KnownCall, ...]:
        """The reads of whole files that the pre-call check need not make again."""
        return tuple(self._shown_files.values())

    def check_change(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        *,
        has_pre_call_check: bool,
        in_verify: bool = False,
        in_script: bool = False,
    ) -> None:
        """Have a call that may change something judged before it is sent.

        The model sees what is said to a call of a script (`in_script`) after the step, and to another call at once.
        Raises `CallError` with everything that speaks against the call. What the pre-call check reads is not evidence.
        """
        right_arguments = self._with_right_path(operation, arguments)
        origins = self._origins_of(operation, right_arguments)
        self.origins = {name: argument.describe() for name, argument in origins.items()}

        objections: list[str] = []
        if has_pre_call_check:
            found = self._found_by_check(operation, right_arguments, in_verify=in_verify)
            objection = self._settled("check", operation, right_arguments, found)
            if objection:
                objections.append(objection)
        if not in_verify:
            found = self._found_in_origins(operation, right_arguments, origins, in_script=in_script)
            objection = self._settled("provenance", operation, right_arguments, found)
            if objection:
                objections.append(objection)
                self.log.notes.append(objection)

        if objections:
            raise CallError(error_codes.FAILED_PRECONDITION, "\n".join(objections))
        self._follow_stopped(operation, right_arguments)

    def take_stopped(self, event: CallStopped) -> None:
        """Take into account that a call was stopped, or what became of one."""
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

    def _settled(self, by: By, operation: str, arguments: Mapping[str, Any], objection: str) -> str:
        """Record that a call is stopped, if there is an objection; return the objection that holds."""
        trace = self.log.trace
        place = self._stopped_event(by, operation, arguments, objection=objection)
        decision = place if objection else None
        event = self.journal.stop(decision, place, len(trace.stopped))
        if event is None:
            return ""
        self.take_stopped(event)
        return event.objection

    def _with_right_path(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the arguments with the path in the spelling that listings show."""
        right_arguments = dict(arguments)
        declared = self.tool_schema.operation(operation)
        if declared is not None:
            path = right_arguments.get(declared.subject)
            if isinstance(path, str):
                right_arguments[declared.subject] = self.evidence_log.right_path(path)
        return right_arguments

    def _found_by_check(
        self, operation: str, arguments: dict[str, Plain], *, in_verify: bool
    ) -> str:
        """Return what the environment's check finds against a call, which is told once; empty if nothing."""
        was_stopped = ("check", key_of(operation, arguments)) in self._stopped
        if not self.check_name or was_stopped:
            return ""
        objection: Plain = ""
        with suppress(CallError):
            judged_call: dict[str, Plain] = {"operation": operation, "arguments": arguments}
            result = self.log.call(self.check_name, judged_call, in_verify=in_verify)
            objection = result.get("value")
        return objection if isinstance(objection, str) else ""

    def _found_in_origins(
        self,
        operation: str,
        arguments: dict[str, Plain],
        origins: Mapping[str, ArgumentOrigin],
        *,
        in_script: bool,
    ) -> str:
        """Return why a call is held because of where its arguments come from; empty if it is not."""
        mode = self.call_origins.policy.mode_of(operation)
        step = self.log.trace.number
        before_step = step if in_script else step + 1
        held: dict[str, list[Finding]] = {}
        for name, argument in origins.items():
            findings = []
            for finding in self._findings_to_hold(mode, argument):
                if not self._passes(mode, operation, name, finding, origins, before_step):
                    findings.append(finding)
            if findings:
                held[name] = findings
        if not held:
            return ""

        lines = held_lines(held)
        if mode == "approve" and self._is_approved(operation, arguments, held, lines):
            return ""
        remedy = NEVER
        if mode == "ask":
            remedy = IN_SCRIPT if in_script else ANYWHERE
        return f"{operation} was not sent. {lines} {LEAVE} {remedy}"

    def _findings_to_hold(self, mode: str, argument: ArgumentOrigin) -> list[Finding]:
        """Return the values of an argument for which a call is held: those of running text, and in the mode `strict`
        those that are nowhere."""
        findings = argument.findings_of(Origin.PROSE)
        if mode == "strict":
            made = argument.findings_of(Origin.MADE)
            findings += [finding for finding in made if not finding.is_composed]
        return findings

    def _passes(
        self,
        mode: str,
        operation: str,
        parameter: str,
        finding: Finding,
        origins: Mapping[str, ArgumentOrigin],
        before_step: int,
    ) -> bool:
        """Say whether the model has seen the objection to a value and insists, or the user has approved the value."""
        if mode == "ask":
            return self._held_values.passes(
                operation, parameter, finding, origins, before_step=before_step
            )
        if mode == "approve":
            after_now = self.log.trace.number + 1
            return self._approved_values.passes(
                operation, parameter, finding, origins, before_step=after_now
            )
        return False

    def _is_approved(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        held: Mapping[str, list[Finding]],
        lines: str,
    ) -> bool:
        """Ask the user about a call; return whether it may be sent."""
        trace = self.log.trace
        text = f"{call_text(operation, arguments, held)} is to be sent. {lines}"
        position = len(trace.approvals)
        approve = self.call_origins.policy.approve
        is_approved = self.user.approves(trace.number, position, text, approve)
        event = CallApproval(
            trial_id=self.log.trial_id,
            step=trace.number,
            number=len(trace.calls),
            operation=operation,
            arguments=dict(arguments),
            text=text,
            answer="approved" if is_approved else "refused",
        )
        self.journal.approval(event, position)
        self.take_approval(event)
        return is_approved

    def _origins_of(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> dict[str, ArgumentOrigin]:
        """Return where each telling argument of a call comes from."""
        declared = self.tool_schema.operation(operation)
        is_talk = declared is not None and declared.is_talk
        if is_talk or self.call_origins.policy.mode_of(operation) == "off":
            return {}
        return self.call_origins.origins_of(operation, arguments)

    def keep_shown_file(self, record: CallRecord) -> None:
        """Keep the result of a file that the initial prompt read, until a call that may change something."""
        declared = self.tool_schema.operation(record.operation)
        if declared is None or not self.check_name:
            return
        if self.tool_schema.may_change(record.operation, record.arguments):
            self._shown_files.clear()
            return
        is_initial_read = declared.effect is Effect.READS and not self.log.trace.number
        if not is_initial_read or not record.result:
            return
        is_part = any(value for name, value in record.arguments.items() if name != declared.subject)
        if not is_part and len(self._shown_files) < MOST_SHOWN_FILES:
            path = str(record.arguments[declared.subject])
            self._shown_files[path] = record.operation, {declared.subject: path}, record.result

    def _follow_stopped(self, operation: str, arguments: Mapping[str, Plain]) -> None:
        """Tell what became of the calls that were stopped, now that a call is sent."""
        for stopped in list(self._stopped.values()):
            if stopped.key in self._followed:
                continue
            sent = StoppedCall(stopped.by, operation, arguments)
            if sent.key == stopped.key:
                then = DONE_ALL_THE_SAME
            elif sent.target == stopped.target and sent.key not in self._stopped:
                then = DONE_OTHERWISE
            else:
                continue
            event = self._stopped_event(stopped.by, stopped.operation, stopped.arguments, then=then)
            self.journal.followed(event, len(self.log.trace.stopped))
            self.take_stopped(event)

    def _stopped_event(
        self,
        by: By,
        operation: str,
        arguments: Mapping[str, Any],
        *,
        objection: str = "",
        then: str = NOT_DONE,
    ) -> CallStopped:
        trace = self.log.trace
        return CallStopped(
            trial_id=self.log.trial_id,
            step=trace.number,
            number=len(trace.calls),
            operation=operation,
            arguments=dict(arguments),
            by=by,
            objection=objection,
            then=then,
        )


def key_of(operation: str, arguments: Mapping[str, Any]) -> str:
    """Return the text of a call, by which the same call is known again."""
    return json.dumps([operation, arguments], sort_keys=True)
