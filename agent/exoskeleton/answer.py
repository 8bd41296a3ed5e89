"""From a completion, the call with which the model ends the trial, to the submitted answer."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.agent.events import Judged
from controlplane.agent.exoskeleton.bindings import (
    CitedPath,
    Completion,
    Part,
    PutInForm,
    SolverBindings,
)
from controlplane.agent.exoskeleton.helper_model import HelperModel
from controlplane.agent.exoskeleton.shown import CallResults
from controlplane.agent.loop.trial_session import TrialSession
from controlplane.agent.model import object_schema
from controlplane.gates.submission import Submission
from controlplane.sandbox.interface import CallError, Plain

_MAX_FORMATTED_CHARS: Final = 8_000
"""A longer message is a table or a plan, and is not formatted."""
_MESSAGE_SCHEMA: Final = object_schema({"message": {"type": "string"}})


# The references of an answer: the files that it cites, as a check of the benchmark corrects them.
#
# The model's answer is sent to the check, and the references in the result take the place of its own:
#
#     cited by the model                /docs/draft.md
#     `_answer_fields`, for the check    {"documents": ["/docs/draft.md"], "records": [], ...}
#     result of the check               {"value": None, "refs": [{"path": "/docs/loans.md"}]}
#     cited `_with_references`           /docs/loans.md


def _answer_fields(completion: Completion) -> dict[str, Plain]:
    """Return the answer in the form that the benchmark's check of references takes."""
    return {
        "outcome": completion.outcome,
        "message": completion.message,
        "task_type": completion.task_type,
        "protected": completion.protected,
        "documents": [document.path for document in completion.documents],
        "records": [record.path for record in completion.records],
    }


def _with_references(completion: Completion, result: Mapping[str, Plain]) -> Completion:
    """Return a completion with the references and the message of a check's result.

    The result is `{"value": {"message": "..."}, "refs": [{"path": "/loans/l7.json"}]}`. If the
    value is None, the message stays. A file that the model itself has cited keeps the model's
    reason and quotation. All references become `records`: only the check needs to know which of
    them are `documents`, whose rules the answer follows.
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
    """Return the references in the result of a function, in order.

    `{"refs": [{"path": "/loans/l7.json", "reason": "the loan"}]}` has one.
    """
    references = result.get("refs")
    if not isinstance(references, list):
        return ()
    return tuple(CitedPath.model_validate(reference) for reference in references)


# Submits the answer of a completion, after its files are cited.
#
# A completion is the call with which the model hands in its answer. It names files with a reason, and
# maybe a quotation. A wrong quotation does not cost the citation: the file is cited without it, and
# the model gets a note.


def submit_answer(session: TrialSession, answer: Completion) -> Judged:
    """Submit an answer with its references, spelled as in the listings of files.

    A path that may not be cited is submitted, too, because the gates then tell the model
    why. Raises `CallError` if the environment refuses the answer.
    """
    reasons_by_path: dict[str, Plain] = {}
    for reference in answer.cited.values():
        path = _cite(session, reference)
        reasons_by_path[path] = reference.reason
    submission = Submission(
        answer=answer.message, outcome=answer.outcome, refs_why=reasons_by_path
    )
    return session.submit(submission)


def _cite(session: TrialSession, reference: CitedPath) -> str:
    """Cite a file, and return its path as in the listings; unchanged if it may not be cited.

    `check_citation` records the citation, and returns the path. It raises `ValueError` for a
    file that was not read, or a wrong quotation.
    """
    # 1. Cite the file with the quotation. If it is wrong, tell the model.
    if reference.quote:
        try:
            return session.check_citation(
                reference.path, reference.reason, reference.quote
            )
        except ValueError as error:
            session.recorder.step_log.notes.append(str(error))

    # 2. If there is no quotation, or it is wrong, cite the file without one.
    try:
        return session.check_citation(reference.path, reference.reason, "")
    except ValueError:
        return reference.path


# Turns a completion, the call with which the model ends the trial, into the answer.
#
# Functions of the benchmark may change it. For "How many loans? Answer with the number only":
#
# | after | message | references (cited files) |
# |---|---|---|
# | the completion | `There are 12 loans.` | `/docs/draft.md` |
# | `revise`: the benchmark's conventions | `There are 12 loans in all.` | `/docs/draft.md` |
# | `references` | `There are 12 loans in all.` | `/docs/loans.md`, which is in force |
# | `put_in_form` | `12` | `/docs/loans.md` |


@dataclass(frozen=True, slots=True)
class Assembly:
    """Turns the completions of one trial into its answers, and submits them.

    There may be several, because the model may try again if an answer is not accepted.
    """

    session: TrialSession
    bindings: SolverBindings
    """The functions that the benchmark adds to the solver."""
    parts: Collection[str]
    """The optional parts of the solver that are on."""
    helper: HelperModel
    """Asks small models. The benchmark's functions may use it."""
    results: CallResults
    """What the trial's calls returned."""

    def submit(self, completion: Completion) -> Judged:
        """Submit the answer of a completion. Raises `CallError` if the environment refuses it."""
        # 1. Apply the benchmark's conventions. A helper model may check the draft for this.
        revise = self.bindings.revise
        if revise is not None:
            texts = self.results.texts
            completion = revise(completion, texts, self.helper.check_draft)

        # 2. Correct the cited files.
        if self.bindings.references:
            completion = self._with_checked_references(
                completion, self.bindings.references
            )

        # 3. Bring the message into the requested form, such as a single number.
        put_in_form = self.bindings.put_in_form
        if put_in_form is not None and len(completion.message) <= _MAX_FORMATTED_CHARS:
            completion = self._with_formatted_message(completion, put_in_form)
        return submit_answer(self.session, completion)

    def _with_checked_references(
        self, completion: Completion, check: str
    ) -> Completion:
        """Run the benchmark's check that corrects references, a function with four arguments.

        | argument | for the answer "Renewed." to "Renew loan l-12" |
        |---|---|
        | `request` | `Renew loan l-12` |
        | `answer` | `{"message": "Renewed.", "records": ["/loans/l-12.json"], ...}` |
        | `findings` | what the trial's calls returned (see `CallResults.as_json`); `[]` without |
        | `in_order` | True to complete and sort the references, too |

        It may, for example, replace a draft of a policy by the policy in force. If it fails, the
        references stay as they are, and the model gets a note.
        """
        uses_findings = Part.EVIDENCE_STORE in self.parts
        arguments: dict[str, Plain] = {
            "request": self.session.instruction,
            "answer": _answer_fields(completion),
            "findings": self.results.as_json() if uses_findings else "[]",
            "in_order": Part.REFERENCES in self.parts,
        }
        try:
            result = self.session.call(check, arguments)
        except CallError:
            self.session.recorder.step_log.notes.append(
                "the references stay as they were given: the workspace cannot be read"
            )
            return completion
        return _with_references(completion, result)

    def _with_formatted_message(
        self, completion: Completion, put_in_form: PutInForm
    ) -> Completion:
        """Return the completion with its message in the form that the rules and the request ask for."""
        session = self.session

        def propose_message() -> str:
            """Return the message as a small model would write it; empty if the model fails."""
            reply = self.helper.ask(
                "format",
                "format_request",
                _MESSAGE_SCHEMA,
                message=completion.message,
                rules=session.rules,
            )
            proposed = reply.get("message")
            if isinstance(proposed, str) and len(proposed) <= _MAX_FORMATTED_CHARS:
                return proposed
            return ""

        message = put_in_form(
            completion.outcome,
            completion.message,
            session.rules,
            propose_message,
            session.instruction,
        )
        return completion.model_copy(update={"message": message})
