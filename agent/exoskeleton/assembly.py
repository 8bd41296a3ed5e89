"""Turns a completion, the call with which the model ends the trial, into the answer.

Three functions of the benchmark may change it: `revise` applies the benchmark's
conventions, `references` corrects the cited files, and `put_in_form` brings the message
into the requested form.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from controlplane.agent.events import ConversationOpened, Judged
from controlplane.agent.exoskeleton.bindings import (
    CitedPath,
    Completion,
    Part,
    SolverBindings,
)
from controlplane.agent.exoskeleton.helper_model import HelperModel
from controlplane.agent.exoskeleton.shown_results import initial_results
from controlplane.agent.loop.trial_session import TrialSession
from controlplane.agent.model import object_schema
from controlplane.gates.submission import Submission
from controlplane.sandbox.interface import CallError, Effect, Operation, Plain

MAX_FORMATTED_CHARS: Final = 8_000
"""A longer message is a table or a plan, and is not formatted."""
MESSAGE_SCHEMA: Final = object_schema({"message": {"type": "string"}})


@dataclass(slots=True)
class Assembly:
    """Assembles the answers of one trial.

    The turns pass the results of all calls to it (`take_initial_prompt`, `add_result`).
    `submit` then turns a completion, the model's last call, into the answer.
    """

    session: TrialSession
    bindings: SolverBindings
    parts: frozenset[str]
    helper: HelperModel
    findings: list[dict[str, Plain]] = field(default_factory=list)
    """The results of the environment's functions, in order: `{"function": "due_date",
    "refs": [...], "texts": {"value": "2031-05-02"}}`. `refs` are the files that support
    a result."""
    texts: dict[str, str] = field(default_factory=dict)
    """The texts of the files that were read, by path, in order."""

    # --- Results of calls ---

    def take_initial_prompt(self, opened: ConversationOpened) -> None:
        """Keep the texts of the files that the initial prompt shows."""
        for declared, arguments, text in initial_results(
            opened, self.session.tool_schema
        ):
            if declared.effect is Effect.READS and text:
                path = str(arguments.get(declared.subject))
                self.texts[path] = text

    def add_result(
        self,
        declared: Operation,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain],
    ) -> None:
        """Keep the result of a call: a function's result as a finding, or a file's
        text."""
        is_function = bool(declared.finds)  # a function of the benchmark
        if is_function:
            value = result.get("value")
            value_fields = value if isinstance(value, dict) else {"value": value}
            texts: dict[str, Plain] = {}
            for name, text in value_fields.items():
                if isinstance(text, str):
                    texts[name] = text
            finding: dict[str, Plain] = {
                "function": declared.name,
                "refs": result.get("refs", []),
                "texts": texts,
            }
            self.findings.append(finding)
        elif declared.effect is Effect.READS:
            path = str(result.get("path") or arguments.get(declared.subject))
            self.texts[path] = str(result.get(declared.json_field, ""))

    # --- The answer ---

    def submit(self, completion: Completion) -> Judged:
        """Submit the answer of a completion. Raises `CallError` if the environment
        refuses it."""
        revised = self._revised(completion)
        ordered = self._with_ordered_references(revised)
        formatted = self._formatted(ordered)
        return submit_answer(self.session, formatted)

    def _revised(self, completion: Completion) -> Completion:
        """Return the completion, changed to follow the benchmark's conventions."""
        if Part.FORMATTER not in self.parts or self.bindings.revise is None:
            return completion

        def check_draft(schema: Mapping[str, object], text: str) -> Mapping[str, Any]:
            return self.helper.ask(
                "check_draft", schema, "format_request", message=text
            )

        return self.bindings.revise(completion, self.texts, check_draft)

    def _with_ordered_references(self, completion: Completion) -> Completion:
        """Return the completion with references (cited files) as the benchmark's check
        wants."""
        uses_findings = Part.EVIDENCE_STORE in self.parts
        puts_in_order = Part.REFERENCES in self.parts
        if not self.bindings.references or not (uses_findings or puts_in_order):
            return completion

        # 1. Ask the benchmark's check. The last finding lists the files that were read.
        answer: dict[str, Plain] = {
            "outcome": completion.outcome,
            "message": completion.message,
            "task_type": completion.task_type,
            "protected": completion.protected,
            "documents": [document.path for document in completion.documents],
            "records": [record.path for record in completion.records],
        }
        findings: list[dict[str, Any]] = []
        if uses_findings:
            opened_files = {"opened": list(self.texts)}
            findings = [*self.findings, opened_files]
        arguments: dict[str, Plain] = {
            "request": self.session.instruction,
            "answer": answer,
            "findings": json.dumps(findings),
            "in_order": puts_in_order,
        }
        try:
            result = self.session.call(self.bindings.references, arguments)
        except CallError:
            self.session.notes.append(
                "the references stay as they were given: the workspace cannot be read"
            )
            return completion

        # 2. Take its references, but keep the model's reasons and quotations.
        model_references = completion.cited
        records: list[CitedPath] = []
        for reference in references_of(result):
            model_reference = model_references.get(reference.path, reference)
            reason = model_reference.reason or reference.reason
            quote = model_reference.quote
            records.append(CitedPath(path=reference.path, reason=reason, quote=quote))

        # 3. Take its message, if the check returns one.
        value = result["value"]
        message = value["message"] if isinstance(value, dict) else completion.message
        return completion.model_copy(
            update={"documents": (), "records": tuple(records), "message": message}
        )

    def _formatted(self, completion: Completion) -> Completion:
        """Return the completion with its message in the requested form."""
        put_in_form = self.bindings.put_in_form
        is_long = len(completion.message) > MAX_FORMATTED_CHARS
        if Part.FORMATTER not in self.parts or put_in_form is None or is_long:
            return completion
        rules = self.session.rules

        def ask_formatter() -> str:
            reply = self.helper.ask(
                "format",
                MESSAGE_SCHEMA,
                "format_request",
                message=completion.message,
                rules=rules,
            )
            proposed = reply.get("message")
            if isinstance(proposed, str) and len(proposed) <= MAX_FORMATTED_CHARS:
                return proposed
            return ""

        request = self.session.instruction
        message = put_in_form(
            completion.outcome, completion.message, rules, ask_formatter, request
        )
        return completion.model_copy(update={"message": message})


def references_of(result: Mapping[str, Plain]) -> tuple[CitedPath, ...]:
    """Return the references of a function result, in order."""
    references = result.get("refs")
    if not isinstance(references, list):
        return ()
    return tuple(CitedPath.model_validate(reference) for reference in references)


def submit_answer(session: TrialSession, answer: Completion) -> Judged:
    """Submit an answer with its references, spelled as in the listings of files.

    A path that may not be cited stays, so that the gates reject the answer. Raises
    `CallError` if the environment refuses the answer.
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
    """Cite a file, and return its path as in the listings; unchanged if it may not be
    cited.

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
