"""Asks a second reader, a model that reads an accepted answer and may object to it once.

The reader must quote what contradicts the answer, from the request, the rules or the cited
lines: `{"against": ["Closed on Sundays"]}`. What is in none of them does not count.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from controlplane.agent.model import (
    Abandoned,
    ModelError,
    ModelRequest,
    OutOfBudget,
    Reply,
)
from controlplane.agent.second_reader.quotations import quoted_in
from controlplane.agent.second_reader.reader_request import reader_request
from controlplane.gates.evidence import Evidence
from controlplane.gates.quoting import quote_some
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import REVIEW, RULE_SET_GATE, Result, Verdict
from controlplane.sandbox.interface import bounds

AskReader: TypeAlias = Callable[[ModelRequest], Reply]
"""Asks the second reader for one reply. Raises `ModelError`."""

MAX_FAULT_CHARS: Final = 300
"""Max characters of the reason why the reader failed."""


def review_of(
    ask: AskReader, submission: Submission, evidence: Evidence, case: Case
) -> Verdict:
    """Return the reader's verdict on a submission.

    | the reader | verdict |
    |---|---|
    | quotes something that is really in the sources | `reject` |
    | quotes nothing, or what is not in them | `pass` |
    | gives no reply, because its model fails | `not_applicable` |

    Raises `Abandoned` or `OutOfBudget`, which end the trial.
    """
    question = reader_request(submission, evidence, case)
    try:
        reply = ask(question.request)
    except (Abandoned, OutOfBudget):
        raise
    except ModelError as error:
        reason = f"the second reader failed: {error}"[:MAX_FAULT_CHARS]
        return review_verdict("not_applicable", reason)

    quotations = quoted_in(reply.text, question.sources.values())
    if not quotations:
        return review_verdict("pass")
    shown = quote_some(quotations, bounds.SHOWN_EXAMPLES)
    return review_verdict(
        "reject", f"A second reader asks how the answer fits {shown}."
    )


def review_verdict(result: Result, reason: str = "") -> Verdict:
    """Return a verdict of the second reader, in the form of a verdict of a rule.

    The enforcement `ask` means that a rejection only asks the solver to think again: it may
    submit the same answer again.
    """
    return Verdict(
        gate=RULE_SET_GATE, name=REVIEW, result=result, reason=reason, enforcement="ask"
    )
