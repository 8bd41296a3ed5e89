"""The stages around the model's turns: checks and classifier before them, the assembly of the answer after them, and
the small models that both ask. A trial goes on if a small model fails."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from pydantic import ValidationError

from agent.events import ConversationOpened, Judged
from agent.exoskeleton.bindings import (
    CheckValue,
    CitedPath,
    Completion,
    Part,
    Permission,
    SolverBindings,
)
from agent.exoskeleton.offered_tools import (
    change_reference,
    described_fields,
    initial_results,
    object_of,
)
from agent.loop.initial_prompt import Prompts
from agent.loop.trial_session import TrialSession
from agent.loop.turn_loop import PatientModel
from agent.model.model_protocol import Abandoned, Message, ModelError, OutOfBudget, object_schema
from gates.submission import Submission
from sandbox.interface import CallError, Effect, Operation, Plain


@dataclass(frozen=True, slots=True)
class HelperModel:
    """The models of the roles other than `solve`, as one trial asks them."""

    model: PatientModel
    prompts: Prompts

    def ask(self, role: str, schema: Mapping[str, object], request: str, **holes: str) -> dict[str, Any]:
        """Return the object that the model of a role replies to the prompts of its role and of the request; empty if
        there is no object. Raises `OutOfBudget`."""
        session = self.model.session
        prompt = self.prompts.filled(request, instruction=session.instruction, **holes)
        messages: list[Message] = [
            {"role": "system", "content": self.prompts.filled(role, fields=described_fields(schema), **holes)},
            {"role": "user", "content": prompt},
        ]
        complete = partial(self.model.complete, messages, role, schema=schema)
        try:
            return object_of(session.ask(complete, messages, role=role).reply) or {}
        except (OutOfBudget, Abandoned):
            raise
        except ModelError as error:
            if session.recorded_step is None:
                session.notice(f"the model of the role {role} failed, and the trial goes on without it: {error}")
            return {}


LONGEST_FORMATTED: Final = 8_000
"""Max characters of a message that is formatted: a longer one is a table or a plan."""
MESSAGE_SCHEMA: Final = object_schema({"message": {"type": "string"}})


def references_of(result: Mapping[str, Plain]) -> tuple[CitedPath, ...]:
    """Return the references of a function result, in order."""
    refs = result.get("refs")
    return tuple(map(CitedPath.model_validate, refs)) if isinstance(refs, list) else ()


def submit_answer(session: TrialSession, answer: Completion) -> Judged:
    """Submit with references, each in the spelling that listings show.

    A path that may not be cited stays unchanged, for the gates to reject; a note names a missing quotation. Raises
    `CallError` if the environment refuses the answer.
    """
    refs: dict[str, str] = {}
    for cited in answer.cited.values():
        for quotation in dict.fromkeys((cited.quote, "")):
            try:
                refs[session.check_citation(cited.path, cited.reason, quotation)] = cited.reason
                break
            except ValueError as error:
                session.trace.notes.extend([str(error)] if quotation else [])
        else:
            refs[cited.path] = cited.reason
    return session.submit(Submission(answer=answer.message, outcome=answer.outcome, refs_why={**refs}))


@dataclass(slots=True)
class Assembly:
    """Assembles the answers of one trial."""

    session: TrialSession
    bindings: SolverBindings
    parts: frozenset[str]
    helper: HelperModel
    findings: list[dict[str, Plain]] = field(default_factory=list)
    """Results of the environment's functions, in order: `function`, `refs`, `texts` (those of its value by field)."""
    texts: dict[str, str] = field(default_factory=dict)
    """The texts of the files that were read, by path, in order."""

    def take_initial_prompt(self, opened: ConversationOpened) -> None:
        """Take the texts that the initial prompt shows into account; texts that were read but not shown count as
        unopened."""
        for declared, arguments, text in initial_results(opened, self.session.tool_schema):
            if declared.effect is Effect.READS and text:
                self.texts[str(arguments.get(declared.subject))] = text

    def add_result(self, declared: Operation, arguments: Mapping[str, Plain], result: Mapping[str, Plain]) -> None:
        """Take the result of a call into account."""
        if declared.finds:
            value = result.get("value")
            fields = value if isinstance(value, dict) else {"value": value}
            texts: dict[str, Plain] = {name: text for name, text in fields.items() if isinstance(text, str)}
            self.findings.append({"function": declared.name, "refs": result.get("refs", []), "texts": texts})
        elif declared.effect is Effect.READS:
            path = str(result.get("path") or arguments.get(declared.subject))
            self.texts[path] = str(result.get(declared.json_field, ""))

    def submit(self, completion: Completion) -> Judged:
        """Submit a model's completion. Raises `CallError` if the environment does not take the answer."""
        return submit_answer(self.session, self._formatted(self._ordered(self._revised(completion))))

    def _revised(self, completion: Completion) -> Completion:
        """Return the completion as the benchmark's conventions have it, which may ask the role `check_draft`."""
        if Part.FORMATTER not in self.parts or self.bindings.revise is None:
            return completion

        return self.bindings.revise(
            completion,
            self.texts,
            lambda schema, text: self.helper.ask("check_draft", schema, "format_request", message=text),
        )

    def _ordered(self, completion: Completion) -> Completion:
        """Return the completion with the trial's function results, and its references in order."""
        with_store, with_order = Part.EVIDENCE_STORE in self.parts, Part.REFERENCES in self.parts
        if not self.bindings.references or not (with_store or with_order):
            return completion
        answer: dict[str, Plain] = {
            "outcome": completion.outcome,
            "message": completion.message,
            "task_type": completion.task_type,
            "protected": completion.protected,
            "documents": [document.path for document in completion.documents],
            "records": [record.path for record in completion.records],
        }
        findings = json.dumps([*self.findings, {"opened": [*self.texts]}] if with_store else [])
        request = self.session.instruction
        asked: dict[str, Plain] = {"request": request, "answer": answer, "findings": findings, "in_order": with_order}
        try:
            result = self.session.call(self.bindings.references, asked)
        except CallError:
            self.session.trace.notes.append("the references stay as they were given: the workspace cannot be read")
            return completion
        given, value = completion.cited, result["value"]
        records = tuple(
            CitedPath(path=ref.path, reason=own.reason or ref.reason, quote=own.quote)
            for ref in references_of(result)
            for own in [given.get(ref.path, ref)]
        )
        message = value["message"] if isinstance(value, dict) else completion.message
        return completion.model_copy(update={"documents": (), "records": records, "message": message})

    def _formatted(self, completion: Completion) -> Completion:
        """Return the completion with its message in the requested form, as far as guards allow."""
        put_in_form, rules = self.bindings.put_in_form, self.session.rules
        is_short = len(completion.message) <= LONGEST_FORMATTED
        if Part.FORMATTER not in self.parts or put_in_form is None or not is_short:
            return completion

        def ask() -> str:
            holes = {"message": completion.message, "rules": rules}
            proposed = self.helper.ask("format", MESSAGE_SCHEMA, "format_request", **holes).get("message")
            return proposed if isinstance(proposed, str) and len(proposed) <= LONGEST_FORMATTED else ""

        message = put_in_form(completion.outcome, completion.message, rules, ask, self.session.instruction)
        return completion.model_copy(update={"message": message})


@dataclass(slots=True)
class FirstStep:
    """Classifier and checks of one trial, if they are switched on."""

    session: TrialSession
    parts: frozenset[str]
    bindings: SolverBindings
    intent: Mapping[str, Any] = field(default_factory=dict)
    """The classifier's reply; the checks judge its fields."""
    context: list[str] = field(default_factory=list)
    """Texts for the model from checks."""
    allowed: Permission = field(default_factory=Permission)
    """The changes that the request allows."""

    def take_step(self, helper: HelperModel) -> str:
        """Take the step, if anything of it is switched on; return the text for the model."""
        session, schema = self.session, self.bindings.intent_schema if Part.CLASSIFIER in self.parts else None
        checks = self.bindings.preflight if Part.PREFLIGHT in self.parts else ()
        is_idle = not (schema or checks or self.bindings.permission)
        if is_idle or (not session.has_record and session.is_over):
            return ""
        with session.step() as fields:
            self.intent = helper.ask("classify", schema, "classify_request") if schema else {}
            if self.bindings.permission:  # else everything may be changed
                with suppress(ValidationError):
                    self.allowed = Permission.model_validate(self._found(self.bindings.permission).get("value", {}))
                self.context += filter(None, [change_reference(session.tool_schema, self.allowed)])
            answered = self._answer(checks)
            fields["state"] = f"answered by {answered}" if answered else "checked before the model is asked"
            fields["output"] = json.dumps(self.intent, ensure_ascii=False, default=str) if self.intent else ""
            recorded = session.recorded_step
            fields["feedback"] = recorded.feedback if recorded else tuple(self.context)
            fields["refunded"] = True
        return "".join(fields["feedback"])

    def _answer(self, checks: Sequence[str]) -> str:
        """Go through the checks until one answers; return the check's name, or an empty string if none answers.

        A check that answers may make changes first.
        """
        operations = self.session.tool_schema.operations
        deletes = [operation for operation in operations if operation.effect is Effect.DELETES]
        for name in checks:
            function_result = self._found(name)
            try:
                value = CheckValue.model_validate(function_result.get("value", {}))
            except ValidationError:
                continue
            if value.context:
                self.context.append(value.context)
            if not value.outcome or (value.delete and not deletes):
                continue
            with suppress(CallError):
                for path in value.delete:
                    self.session.call(deletes[0].name, {deletes[0].subject: path})
                records = references_of(function_result)
                answer = Completion(message=value.message, outcome=value.outcome, records=records)
                if submit_answer(self.session, answer).accepted:
                    return name
        return ""

    def _found(self, name: str) -> dict[str, Plain]:
        """Return the function result of a check; empty if the check cannot read what it needs."""
        intent = json.dumps(self.intent, default=str)
        try:
            return self.session.call(name, {"request": self.session.instruction, "intent": intent})
        except CallError:
            return {}
