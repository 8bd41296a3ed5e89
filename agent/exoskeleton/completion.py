"""The completion of a trial: the call with which the model ends it, and hands in its answer.

Models shorten its arguments. These are read alike:

    report_completion(message="12 loans", outcome="OUTCOME_OK", records=[{"path": "/l.json"}])
    report_completion(message="12 loans", outcome="OK", records=["/l.json"], documents=None)
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator

from controlplane.agent.exoskeleton.cited_path import CitedPath, References
from controlplane.agent.model import Received
from controlplane.gates.submission import OUTCOMES


def _full_outcome(value: object) -> object:
    """Return an outcome's full name: `OK` -> `OUTCOME_OK`. Anything else is returned unchanged."""
    for outcome in OUTCOMES:
        if value in (outcome, outcome.removeprefix("OUTCOME_")):
            return outcome
    return value


def _as_one_text(value: object) -> object:
    """Return a list as the lines of one text. Anything else is returned unchanged."""
    if isinstance(value, list):
        return "\n".join(str(line) for line in value)
    return value


class Completion(Received):
    """The completion of a trial: the arguments of the call with which the model ends it."""

    message: str
    """The answer."""
    outcome: Annotated[str, BeforeValidator(_full_outcome)]
    """How the request ended: `OUTCOME_OK`, or why it was not done."""
    notes: Annotated[str, BeforeValidator(_as_one_text)] = ""
    """What the model has established. They are not a part of the answer, but the benchmark's
    functions may read them."""
    task_type: str = "other"
    """The kind of request, one of those that the benchmark declares."""
    documents: References = ()
    """The documents whose rules the answer follows."""
    records: References = ()
    """Records and other files that support the answer."""
    protected: bool = False
    """True if the user who asks must not see records, so that only documents are cited."""

    @property
    def cited(self) -> dict[str, CitedPath]:
        """All references by path, documents first."""
        references = {}
        for reference in (*self.documents, *self.records):
            references[reference.path] = reference
        return references
