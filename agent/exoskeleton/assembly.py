"""Turns a completion, the call with which the model ends the trial, into the answer.

Three functions of the benchmark may change it: `revise` applies the benchmark's
conventions, `references` corrects the cited files, and `put_in_form` brings the message
into the requested form.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from controlplane.agent.events import Judged
from controlplane.agent.exoskeleton.bindings import Part, SolverBindings
from controlplane.agent.exoskeleton.completion import CitedPath, Completion
from controlplane.agent.exoskeleton.findings import Findings
from controlplane.agent.exoskeleton.helper_model import HelperModel
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.model import object_schema
from controlplane.gates.submission import Submission
from controlplane.sandbox.interface import CallError, Plain

MAX_FORMATTED_CHARS: Final = 8_000
"""A longer message is a table or a plan, and is not formatted."""
MESSAGE_SCHEMA: Final = object_schema({"message": {"type": "string"}})


@dataclass(frozen=True, slots=True)
class Assembly:
    """Assembles the answers of one trial."""

    session: TrialSession
    bindings: SolverBindings
    """The functions that the benchmark adds to the solver."""
    parts: frozenset[str]
    """The optional parts of the solver that are on."""
    helper: HelperModel
    findings: Findings = field(default_factory=Findings)
    """What the trial's calls returned."""

    def submit(self, completion: Completion) -> Judged:
        """Submit the answer of a completion. Raises `CallError` if the environment refuses it."""
        revised = self._revised(completion)
        ordered = self._with_ordered_references(revised)
        formatted = self._formatted(ordered)
        return submit_answer(self.session, formatted)

    def _revised(self, completion: Completion) -> Completion:
        """Return the completion, changed to follow the benchmark's conventions.

        The benchmark's `revise` may ask a helper model to check the draft of the answer.
        """
        if Part.FORMATTER not in self.parts or self.bindings.revise is None:
            return completion

        def check_draft(schema: Mapping[str, object], text: str) -> Mapping[str, Any]:
            return self.helper.ask(
                "check_draft", schema, "format_request", message=text
            )

        return self.bindings.revise(completion, self.findings.texts, check_draft)

    def _with_ordered_references(self, completion: Completion) -> Completion:
        """Return the completion with the references (cited files) that the benchmark chooses.

        Its function gets the trial's findings if the evidence store, a part of the solver,
        is on.
        """
        uses_findings = Part.EVIDENCE_STORE in self.parts
        in_order = Part.REFERENCES in self.parts
        if not self.bindings.references or not (uses_findings or in_order):
            return completion
        arguments: dict[str, Plain] = {
            "request": self.session.instruction,
            "answer": answer_fields(completion),
            "findings": self.findings.as_json() if uses_findings else "[]",
            "in_order": in_order,
        }
        try:
            result = self.session.call(self.bindings.references, arguments)
        except CallError:
            self.session.notes.append(
                "the references stay as they were given: the workspace cannot be read"
            )
            return completion
        return with_references(completion, result)

    def _formatted(self, completion: Completion) -> Completion:
        """Return the completion with its message in the form that the request asks for.

        The benchmark's `put_in_form` does this, and may ask a model by `ask`. A message over
        `MAX_FORMATTED_CHARS` stays as it is.
        """
        put_in_form = self.bindings.put_in_form
        is_long = len(completion.message) > MAX_FORMATTED_CHARS
        if Part.FORMATTER not in self.parts or put_in_form is None or is_long:
            return completion

        def ask() -> str:
            return self._proposed_form(completion.message)

        message = put_in_form(
            completion.outcome,
            completion.message,
            self.session.rules,
            ask,
            self.session.instruction,
        )
        return completion.model_copy(update={"message": message})

    def _proposed_form(self, message: str) -> str:
        """Return the form of a message that a model proposes; empty if it has none."""
        rules = self.session.rules
        reply = self.helper.ask(
            "format", MESSAGE_SCHEMA, "format_request", message=message, rules=rules
        )
        proposed = reply.get("message")
        if isinstance(proposed, str) and len(proposed) <= MAX_FORMATTED_CHARS:
            return proposed
        return ""


# References


def answer_fields(completion: Completion) -> dict[str, Plain]:
    """Return the answer in the form that the benchmark's check of references takes."""
    return {
        "outcome": completion.outcome,
        "message": completion.message,
        "task_type": completion.task_type,
        "protected": completion.protected,
        "documents": [document.path for document in completion.documents],
        "records": [record.path for record in completion.records],
    }


def with_references(completion: Completion, result: Mapping[str, Plain]) -> Completion:
    """Return a completion with the references of a check's result, and its message if any.

    A file that the model itself has cited keeps the model's reason and quotation.
    """
    cited = completion.cited
    records: list[CitedPath] = []
    for reference in references_of(result):
        own_reference = cited.get(reference.path, reference)
        reason = own_reference.reason or reference.reason
        records.append(
            CitedPath(path=reference.path, reason=reason, quote=own_reference.quote)
        )

    value = result["value"]
    message = value["message"] if isinstance(value, dict) else completion.message
    return completion.model_copy(
        update={"documents": (), "records": tuple(records), "message": message}
    )


def references_of(result: Mapping[str, Plain]) -> tuple[CitedPath, ...]:
    """Return the references (cited files) in the result of a function, in order."""
    references = result.get("refs")
    if not isinstance(references, list):
        return ()
    return tuple(CitedPath.model_validate(reference) for reference in references)


def submit_answer(session: TrialSession, answer: Completion) -> Judged:
    """Submit an answer with its references, spelled as in the listings of files.

    A path that may not be cited is submitted, too, because the gates then tell the model
    why. Raises `CallError` if the environment refuses the answer.
    """
    reasons_by_path: dict[str, Plain] = {}
    for reference in answer.cited.values():
        path = _listed_path(session, reference)
        reasons_by_path[path] = reference.reason
    submission = Submission(
        answer=answer.message, outcome=answer.outcome, refs_why=reasons_by_path
    )
    return session.submit(submission)


def _listed_path(session: TrialSession, reference: CitedPath) -> str:
    """Cite a file, and return its path as in the listings; unchanged if it may not be cited.

    A wrong quotation is dropped, and a note tells the model so.
    """
    # 1. Cite the file with the quotation.
    if reference.quote:
        try:
            return session.check_citation(
                reference.path, reference.reason, reference.quote
            )
        except ValueError as error:
            session.notes.append(str(error))

    # 2. Without a quotation, or after a wrong one, cite the file alone.
    try:
        return session.check_citation(reference.path, reference.reason, "")
    except ValueError:
        return reference.path
