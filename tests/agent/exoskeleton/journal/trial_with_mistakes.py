"""A trial of the second solver whose model makes two mistakes before it answers.

The solver lets a model call tools, until the model hands its answer in by a call, the *completion*:

| step | reply of the model                  | what happens                                       |
| ---- | ----------------------------------- | -------------------------------------------------- |
| 1    | (it is not asked yet)               | the library checks the request                     |
| 2    | two calls                           | it reads a book, and finds the two books by Austen |
| 3    | "I think I know."                   | nothing: the reply has no call                     |
| 4    | a completion, and a call after it   | a gate rejects the answer: it cites a missing file |
| 5    | a completion                        | the gates accept the answer, and it is sent        |
"""

import json
from collections.abc import Sequence

from controlplane.agent.events import TrialEvent
from controlplane.agent.exoskeleton import Part
from tests.support.books.attempt_result import (
    FIND_BOOKS_BY_AUSTEN,
    AttemptResult,
    ModelByTurn,
    completion_call,
    tool_call,
)
from tests.support.books.solver_attempts import run_attempt

READ_EMMA = tool_call("read", path="/books/emma.txt", start_line=0, end_line=0)

CITES_MISSING_FILE = completion_call(
    records=[{"path": "/books/none.txt", "reason": "it names the author"}],
    task_type="other",
)
"""A completion whose only citation is of a file that does not exist."""


def play_trial_with_mistakes(recorded: Sequence[TrialEvent] = ()) -> AttemptResult:
    """Play the trial, or resume it from the events of an earlier attempt.

    Two small models take part: the classifier says what the request wants, and the formatter
    makes "emma, persuasion" of the message "emma and persuasion".
    """
    model = ModelByTurn(
        [
            [READ_EMMA, FIND_BOOKS_BY_AUSTEN],
            "I think I know.",
            [CITES_MISSING_FILE, READ_EMMA],
            [completion_call("emma and persuasion")],
        ],
        other_models={
            "classify": json.dumps({"change": False, "who": ""}),
            "format": json.dumps({"message": "emma, persuasion"}),
        },
    )
    return run_attempt(
        model,
        parts=[Part.CLASSIFIER, Part.PREFLIGHT, Part.FORMATTER],
        recorded=recorded,
    )
