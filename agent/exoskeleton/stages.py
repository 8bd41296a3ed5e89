"""The stages around the model's turns: checks and classifier before them, the assembly of the answer after them, and
the small models that both ask. A trial goes on if a small model fails.

A call is made as written if the parse of its text adds a word, or loses a number or a negation.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, ValidationError

from agent.events.trial_events import ConversationOpened, Judged
from agent.exoskeleton.bindings import CheckValue, Draft, Part, Permission, ResultBucket, SolverBindings, TextParse
from agent.exoskeleton.offered_tools import described_fields, initial_results, object_of, properties_of
from agent.loop.prompt_texts import Prompts
from agent.loop.trial_session import TrialSession
from agent.loop.turn_loop import PatientModel
from agent.model.model_protocol import Abandoned, Message, ModelError, OutOfBudget, Received, object_schema
from agent.submission.answer_order import AnswerToOrder, ordered_answer, reasons_of
from gates.submission import OUTCOMES, Submission
from sandbox.interface import CallError, Effect, Operation, Plain, bound_arguments, error_codes

_RULING_OUT: Final = frozenset(
    {"no", "not", "without", "except", "excluding", "excludes", "neither", "nor", "never", "other"}
)


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


def helper_of(model: PatientModel, prompts: Prompts) -> HelperModel:
    """Return the models of the roles other than `solve`, whose transient failures are retried for 5 s at most."""
    retry = replace(model.retry, wait_s=min(5.0, model.retry.wait_s))
    return HelperModel(replace(model, retry=retry), prompts)


def split_text(helper: HelperModel, parse: TextParse, arguments: Mapping[str, Plain]) -> dict[str, Plain] | None:
    """Return a call's arguments with its text split; None if the text stays unchanged. Raises `OutOfBudget`."""
    text = str(arguments.get(parse.parameter, ""))
    if len(_words(text)) < parse.from_words or any(arguments.get(name) for name in parse.into):
        return None
    said = helper.ask("parse", parse.schema, "parse_request", text=text)
    taken = {name: said[name] for name in (parse.parameter, *parse.into) if name in said}
    parts = {**arguments, **taken}
    return parts if parts != arguments and _is_faithful(text, taken, parse) else None


def _is_faithful(text: str, taken: Mapping[str, Plain], parse: TextParse) -> bool:
    """Say whether a parse has the right types, only words of the text, all its numbers, and rules out what it does."""
    if not isinstance(taken.get(parse.parameter), str) or not _words(str(taken[parse.parameter])):
        return False
    lists = [taken[name] for name in parse.into if name in taken]
    if not all(isinstance(words, list) and all(isinstance(one, str) for one in words) for words in lists):
        return False
    rules_out = not _words(text).isdisjoint(_RULING_OUT)
    if parse.ruled_out and bool(taken.get(parse.ruled_out)) is not rules_out:
        return False
    said, items = _words(text), (value if isinstance(value, list) else [value] for value in taken.values())
    stated = {word for values in items for value in values for word in _words(str(value))}
    return stated <= said and all(word in stated for word in said if any(map(str.isdigit, word)))


def _words(text: str) -> set[str]:
    return set("".join(char if char.isalnum() else " " for char in text.casefold()).split())


LONGEST_FORMATTED: Final = 8_000
"""Max characters of a message that is formatted: a longer one is a table or a plan."""
MESSAGE_SCHEMA: Final = object_schema({"message": {"type": "string"}})


def _as_outcome(value: object) -> object:
    """Return an outcome's whole name, given the name with or without the beginning that all names share."""
    return next((outcome for outcome in OUTCOMES if value in (outcome, outcome.removeprefix("OUTCOME_"))), value)


def _as_references(value: object) -> object:
    """Return references as objects; a bare text is a path."""
    if value is None:
        return ()
    return [{"path": item} if isinstance(item, str) else item for item in value] if isinstance(value, list) else value


class CitedPath(Received):
    """A file and the reason for citing it."""

    path: str
    reason: str = ""
    quote: str = ""
    """The exact words of the file."""


References = Annotated[tuple[CitedPath, ...], BeforeValidator(_as_references)]


class Completion(Received):
    """The arguments of the completing call."""

    message: str
    outcome: Annotated[str, BeforeValidator(_as_outcome)]
    notes: Annotated[
        str, BeforeValidator(lambda value: "\n".join(map(str, value)) if isinstance(value, list) else value)
    ] = ""
    """One text; the entries of a list are its lines."""
    task_type: str = "other"
    documents: References = ()
    records: References = ()
    protected: bool = False

    @property
    def reasons(self) -> dict[str, str]:
        """The reasons of its references by path, in order, documents first."""
        return {cited.path: cited.reason for cited in (*self.documents, *self.records)}

    @property
    def quotes(self) -> dict[str, str]:
        """The quotations of its references, by path."""
        return {cited.path: cited.quote for cited in (*self.documents, *self.records) if cited.quote}


def submit_answer(
    session: TrialSession,
    message: str,
    outcome: str,
    reasons: Mapping[str, str],
    quotes: Mapping[str, str] = MappingProxyType({}),
) -> Judged:
    """Submit with references, each in the spelling that listings show; `reasons` and `quotes` are by path.

    A path that may not be cited stays unchanged, for the gates to reject; a note names a missing quotation. Raises
    `CallError` if the environment refuses the answer.
    """
    refs: dict[str, str] = {}
    for path, reason in reasons.items():
        for quotation in dict.fromkeys((quotes.get(path, ""), "")):
            try:
                refs[session.check_citation(path, reason, quotation)] = reason
                break
            except ValueError as error:
                session.trace.notes.extend([str(error)] if quotation else [])
        else:
            refs[path] = reason
    return session.submit(Submission(answer=message, outcome=outcome, refs_why={**refs}))


@dataclass(slots=True)
class Assembly:
    """Assembles the answers of one trial."""

    session: TrialSession
    bindings: SolverBindings
    parts: frozenset[str]
    helper: HelperModel
    findings: list[dict[str, Plain]] = field(default_factory=list)
    """Function results of the environment's functions, in order: `bucket`, `refs`, `message`."""
    opened: list[str] = field(default_factory=list)
    """The files that were read, in order."""
    texts: dict[str, str] = field(default_factory=dict)
    """The texts of these files, and of the files of the initial prompt."""

    def take_initial_prompt(self, opened: ConversationOpened) -> None:
        """Take the texts that the initial prompt shows into account; texts that were read but not shown count as
        unopened."""
        read = set()
        for made in opened.calls:
            declared = self.session.tool_schema.operation(made.operation)
            if declared is not None and declared.effect is Effect.READS and made.error is None:
                read.add(str(made.arguments.get(declared.subject)))
        for declared, arguments, text in initial_results(opened, self.session.tool_schema):
            path = arguments.get(declared.subject)
            if path in read and text:
                self.opened.append(path)
                self.texts[path] = text

    def add_result(self, declared: Operation, arguments: Mapping[str, Plain], result: Mapping[str, Plain]) -> None:
        """Take the result of a call into account."""
        if declared.finds:
            bucket = self.bindings.buckets.get(declared.name, ResultBucket(declared.name))
            value = result.get("value")
            said = value.get(bucket.message_field) if isinstance(value, dict) else value
            message = said if isinstance(said, str) else ""
            self.findings.append({"bucket": bucket.name, "refs": result.get("refs", []), "message": message})
        elif declared.effect is Effect.READS:
            path = str(result.get("path") or arguments.get(declared.subject))
            self.opened.append(path)
            self.texts[path] = str(result.get(declared.json_field, ""))

    def submit(self, completion: Completion) -> Judged:
        """Submit a model's completion. Raises `CallError` if the environment does not take the answer."""
        answer = self._formatted(self._ordered(self._revised(completion)))
        return submit_answer(self.session, answer.message, answer.outcome, answer.reasons, answer.quotes)

    def _ordered(self, completion: Completion) -> Completion:
        """Return the completion with the trial's function results, and its references in order."""
        with_store, with_order = Part.EVIDENCE_STORE in self.parts, Part.REFERENCES in self.parts
        if not self.bindings.references or not (with_store or with_order):
            return completion
        answer = AnswerToOrder(
            completion.outcome,
            completion.message,
            completion.task_type,
            tuple(document.path for document in completion.documents),
            tuple(record.path for record in completion.records),
            completion.protected,
        )
        findings = json.dumps([*self.findings, {"bucket": "opened", "paths": self.opened}] if with_store else [])
        session, check = self.session, self.bindings.references
        ordered = ordered_answer(session.call, check, session.instruction, answer, findings, in_order=with_order)
        if ordered is None:
            self.session.trace.notes.append("the references stay as they were given: the workspace cannot be read")
            return completion
        given, quotes, (message, reasons) = completion.reasons, completion.quotes, ordered
        records = tuple(
            CitedPath(path=path, reason=given.get(path) or reason, quote=quotes.get(path, ""))
            for path, reason in reasons.items()
        )
        return completion.model_copy(update={"documents": (), "records": records, "message": message})

    def _revised(self, completion: Completion) -> Completion:
        """Return the completion as the benchmark's conventions have it, which may ask the role `review`."""
        if Part.FORMATTER not in self.parts or self.bindings.revise is None:
            return completion

        def ask(schema: Mapping[str, object], text: str) -> Mapping[str, Any]:
            return self.helper.ask("review", schema, "format_request", message=text)

        draft = self.bindings.revise(self._draft(completion), ask)
        return completion.model_copy(update={"message": draft.message, "outcome": draft.outcome})

    def _draft(self, completion: Completion) -> Draft:
        return Draft(
            completion.task_type,
            completion.outcome,
            completion.message,
            completion.notes,
            tuple(completion.reasons),
            self.texts,
        )

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

        message = put_in_form(self._draft(completion), rules, self.session.instruction, ask)
        return completion.model_copy(update={"message": message})


@dataclass(slots=True)
class FirstStep:
    """Classifier and checks of one trial, if they are switched on."""

    session: TrialSession
    parts: frozenset[str]
    bindings: SolverBindings
    intent: Mapping[str, Any] = field(default_factory=dict)
    """The fields that the classifier returned."""
    context: list[str] = field(default_factory=list)
    """Texts for the model from checks."""
    allowed: Permission = field(default_factory=Permission)
    """The changes that the request allows."""
    offers: Callable[[Permission], str] = lambda _: ""
    """Returns the text for the model on the allowed changes."""

    @property
    def has_classifier(self) -> bool:
        """True if the classifier is asked."""
        return Part.CLASSIFIER in self.parts and self.bindings.intent_schema is not None

    @property
    def has_checks(self) -> bool:
        """True if checks may answer."""
        return Part.PREFLIGHT in self.parts and bool(self.bindings.preflight)

    def _classify(self, helper: HelperModel) -> dict[str, Any]:
        """Classify the request; return the fields that the reply has, in their types. A failure leaves fields out."""
        schema = self.bindings.intent_schema
        if schema is None or not self.has_classifier:
            return {}
        kinds = {"boolean": bool, "string": str}
        said, fields = helper.ask("classify", schema, "classify_request"), properties_of(schema)
        return {
            name: value
            for name, value in said.items()
            if isinstance(value, kinds.get(str(fields.get(name, {}).get("type")), ()))
        }

    def take_step(self, helper: HelperModel) -> str:
        """Take the step; return the text for the model."""
        session = self.session
        if not session.has_record and session.is_over:
            return ""
        with session.step() as fields:
            self.intent = self._classify(helper)
            if self.bindings.permission:  # else everything may be changed
                with suppress(ValidationError):
                    self.allowed = Permission.model_validate(self._found(self.bindings.permission).get("value", {}))
                self.context += filter(None, [self.offers(self.allowed)])
            answered = self._answer() if self.has_checks else ""
            fields["state"] = f"answered by {answered}" if answered else "checked before the model is asked"
            fields["output"] = json.dumps(self.intent, ensure_ascii=False) if self.intent else ""
            recorded = session.recorded_step
            fields["feedback"] = recorded.feedback if recorded else tuple(self.context)
            fields["refunded"] = True
        return "".join(fields["feedback"])

    def _answer(self) -> str:
        """Go through the checks until one answers; return the check's name, or an empty string if none answers.

        A check that answers may make changes first.
        """
        for name in self.bindings.preflight:
            function_result = self._found(name)
            try:
                value = CheckValue.model_validate(function_result.get("value", {}))
            except ValidationError:
                continue
            if value.context:
                self.context.append(value.context)
            if not value.outcome:
                continue
            with suppress(CallError):
                for path in value.delete:
                    self._delete(path)
                if submit_answer(self.session, value.message, value.outcome, reasons_of(function_result)).accepted:
                    return name
        return ""

    def _found(self, name: str) -> dict[str, Plain]:
        """Return the function result of a check; empty if the check cannot read what it needs."""
        arguments: dict[str, Plain] = {"request": self.session.instruction, "intent": json.dumps(dict(self.intent))}
        try:
            return self.session.call(name, arguments)
        except CallError:
            return {}

    def _delete(self, path: str) -> None:
        """Delete a file. Raises `CallError`, also if nothing is declared that does so."""
        operations = self.session.tool_schema.operations
        declared = next((operation for operation in operations if operation.effect is Effect.DELETES), None)
        if declared is None:
            msg = "nothing is declared that deletes files"
            raise CallError(error_codes.INVALID_ARGUMENT, msg)
        self.session.call(declared.name, bound_arguments(declared, (path,), {}))
