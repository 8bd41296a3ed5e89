"""The last stage: the trial's findings, the order of references, the form of the message, then the gates."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, Field

from agent.events.trial_events import ConversationOpened, Judged
from agent.exoskeleton.bindings import FindingBucket, Part, SolverBindings
from agent.exoskeleton.helper_model import HelperModel
from agent.findings.finding_turns import AnswerToOrder, order_arguments, ordered_answer
from agent.loop.trial_session import TrialSession
from agent.model.model_protocol import Message, Received
from agent.reply.reply_parser import object_of, object_schema
from gates.submission import OUTCOMES, Submission
from sandbox.interface import Effect, Plain
from toolkit.answers import RecoveryAnswer, Review, formatted_message, needs_review, retry_time, reviewed, with_cap

FORMAT: Final = "format"
REVIEW: Final = "review"
LONGEST_FORMATTED: Final = 8_000
"""Max characters of a message that is formatted: a longer one is a table or a plan."""
_SHORT_OUTCOMES: Final = {
    "OUTCOME_OK": "OK",
    "OUTCOME_NONE_CLARIFICATION": "CLARIFY",
    "OUTCOME_NONE_UNSUPPORTED": "UNSUPPORTED",
}
"""Outcomes by their names in the toolkit, which touches answers with these outcomes only."""
_OUTCOMES: Final = {short: outcome for outcome, short in _SHORT_OUTCOMES.items()}
MESSAGE_SCHEMA: Final = object_schema({"message": {"type": "string"}})
REVIEW_SCHEMA: Final = object_schema(
    {"paid": {"type": "boolean"}, "blocked": {"type": "boolean"}, "until": {"type": "string"}}
)


def _as_outcome(value: object) -> object:
    """Return an outcome's whole name, given the name with or without the beginning that all names share."""
    return next((outcome for outcome in OUTCOMES if value in (outcome, outcome.removeprefix("OUTCOME_"))), value)


def _as_references(value: object) -> object:
    """Return references as objects; a bare text is a path."""
    if value is None:
        return ()
    return [{"path": item} if isinstance(item, str) else item for item in value] if isinstance(value, list) else value


def _as_text(value: object) -> object:
    """Return notes as one text; the entries of a list become its lines."""
    return "\n".join(map(str, value)) if isinstance(value, list) else value


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
    notes: Annotated[str, BeforeValidator(_as_text)] = ""
    task_type: str = "other"
    documents: References = ()
    records: References = ()
    protected: bool = Field(default=False)

    @property
    def reasons(self) -> dict[str, str]:
        """The reasons of its references by path, in order, documents first."""
        return {cited.path: cited.reason for cited in (*self.documents, *self.records)}

    @property
    def quotes(self) -> dict[str, str]:
        """The quotations of its references, by path."""
        return {cited.path: cited.quote for cited in (*self.documents, *self.records) if cited.quote}

    def with_references(self, reasons: dict[str, str], **changes: Any) -> Completion:
        """Return a copy with other references, all as records, in their order."""
        quotes = self.quotes
        records = tuple(
            CitedPath(path=path, reason=reason, quote=quotes.get(path, "")) for path, reason in reasons.items()
        )
        return self.model_copy(update={"documents": (), "records": records, **changes})


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
    """Findings of the environment's functions, in order: `bucket`, `refs`, `message`."""
    opened: list[str] = field(default_factory=list)
    """The files that were read, in order."""
    texts: dict[str, str] = field(default_factory=dict)
    """The texts of these files, and of the files of turn one."""

    def take_opening(self, opened: ConversationOpened) -> None:
        """Take the texts that turn one shows into account; texts that were read but not shown count as unopened."""
        read = set()
        for made in opened.calls:
            declared = self.session.surface.operation(made.operation)
            if declared is not None and declared.effect is Effect.READS and made.error is None:
                read.add(str(made.arguments.get(declared.subject)))
        shown = {message.tool_call_id: message.content for message in opened.exchange if message.role == "tool"}
        for call in (call for message in opened.exchange for call in message.tool_calls):
            declared = self.session.surface.operation(call.name)
            path = json.loads(call.arguments).get(declared.subject) if declared else None
            if path in read and (text := shown.get(call.id, "")):
                self.opened.append(path)
                self.texts[path] = text

    def add_result(self, operation: str, arguments: Mapping[str, Plain], result: Mapping[str, Plain]) -> None:
        """Take the result of a call into account."""
        declared = self.session.surface.operation(operation)
        if declared is None:
            return
        if declared.finds:
            bucket = self.bindings.buckets.get(operation, FindingBucket(operation))
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
        answer = self._formatted(self._ordered(self._reviewed(completion)))
        return submit_answer(self.session, answer.message, answer.outcome, answer.reasons, answer.quotes)

    def _ordered(self, completion: Completion) -> Completion:
        """Return the completion with the trial's findings, and its references in order."""
        with_ledger, with_order = Part.LEDGER in self.parts, Part.REFERENCES in self.parts
        if not self.bindings.references or not (with_ledger or with_order):
            return completion
        answer = AnswerToOrder(
            completion.outcome,
            completion.message,
            completion.task_type,
            tuple(document.path for document in completion.documents),
            tuple(record.path for record in completion.records),
            completion.protected,
        )
        findings = json.dumps([*self.findings, {"bucket": "opened", "paths": self.opened}] if with_ledger else [])
        arguments = order_arguments(self.session.instruction, answer, findings, in_order=with_order)
        ordered = ordered_answer(self.session.call, self.bindings.references, arguments)
        if ordered is None:
            self.session.trace.notes.append("the references stay as they were given: the workspace cannot be read")
            return completion
        given = completion.reasons
        reasons = {path: given.get(path) or reason for path, reason in ordered.reasons.items()}
        return completion.with_references(reasons, message=ordered.message)

    def _reviewed(self, completion: Completion) -> Completion:
        """Return the completion after the review of a payment in recovery: no question about a paid or blocked one.

        An instant comes from the answer itself, or else from the cited records and documents. A bare refusal of a
        discount gets the largest discount in the notes.
        """
        answer = RecoveryAnswer(_SHORT_OUTCOMES.get(completion.outcome, ""), completion.message)
        if Part.FORMATTER not in self.parts or not answer.outcome:
            return completion
        if completion.task_type == "discount":
            answer = with_cap(answer, completion.notes.splitlines())
        elif needs_review(completion.task_type, answer.outcome):
            review = self._review(f"{completion.message}\n{completion.notes}")
            answer = reviewed(answer, review, until=self._known_instant(completion))
        return completion.model_copy(update={"message": answer.message, "outcome": _OUTCOMES[answer.outcome]})

    def _review(self, told: str) -> Review:
        prompts, instruction = self.helper.prompts, self.session.instruction
        asked: list[Message] = [
            {"role": "system", "content": prompts.filled("review")},
            {"role": "user", "content": prompts.filled("format_request", instruction=instruction, message=told)},
        ]
        said = self.helper.ask(asked, REVIEW, REVIEW_SCHEMA) or {}
        until = said.get("until")
        known = until if isinstance(until, str) and until in told else ""
        return Review(said.get("paid") is True, said.get("blocked") is True, known)

    def _known_instant(self, completion: Completion) -> str:
        """Return when the cited records may be tried again, from a record or else a document; may be empty."""
        cited = [path.partition("#")[0] for path in completion.reasons]
        texts = [self.texts[path] for path in cited if path in self.texts]
        ids = [path.rsplit("/", 1)[-1].partition(".")[0] for path in cited]
        records = {text: data for text in texts if text.lstrip()[:1] == "{" and (data := object_of(text))}
        found = [retry_time(ids, record=record) for record in records.values()]
        found += [retry_time(ids, text) for text in texts if text not in records]
        return next(filter(None, found), "")

    def _formatted(self, completion: Completion) -> Completion:
        """Return the completion with its message in the requested form, as far as guards allow."""
        outcome = _SHORT_OUTCOMES.get(completion.outcome, "")
        if Part.FORMATTER not in self.parts or not outcome or len(completion.message) > LONGEST_FORMATTED:
            return completion

        def ask() -> str:
            said = self.helper.ask(self._format_request(completion.message), FORMAT, MESSAGE_SCHEMA) or {}
            proposed = said.get("message")
            return proposed if isinstance(proposed, str) and len(proposed) <= LONGEST_FORMATTED else ""

        message = formatted_message(outcome, completion.message, self.session.rules, ask, self.session.instruction)
        return completion.model_copy(update={"message": message})

    def _format_request(self, message: str) -> list[Message]:
        prompts, instruction = self.helper.prompts, self.session.instruction
        return [
            {"role": "system", "content": prompts.filled("format", rules=self.session.rules)},
            {"role": "user", "content": prompts.filled("format_request", instruction=instruction, message=message)},
        ]
