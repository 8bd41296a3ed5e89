"""A trial whose request is checked by functions before the main model is asked.

    attempt_with_checks("Which books are by Austen?", classification='{"change": false, "who": "Austen"}')

A small model, the classifier, has said what the request wants: `classification`. The library of these
trials has three checks:

| check        | what it does                                                                    |
| ------------ | ------------------------------------------------------------------------------- |
| `may_change` | lets the trial change something only if the classifier says `"change": true`    |
| `theft`      | refuses a request with the word "steal"                                         |
| `newest`     | adds "The newest is of Austen." to the prompt; fails at the word "unreadable"   |
"""

from controlplane.agent.exoskeleton import Part
from tests.support.books.attempt_result import AttemptResult
from tests.support.books.library_calls import FIND_BOOKS_BY_AUSTEN, completion_call
from tests.support.books.model_by_turn import ModelByTurn
from tests.support.books.solver_attempts import run_attempt


def attempt_with_checks(instruction: str, classification: str) -> AttemptResult:
    """Play a trial whose request is checked. `classification` is the reply of the classifier."""
    model = ModelByTurn(
        [[FIND_BOOKS_BY_AUSTEN], [completion_call("emma and persuasion")]],
        other_models={"classify": classification},
    )
    return run_attempt(
        model,
        instruction=instruction,
        parts=[Part.CLASSIFIER, Part.PREFLIGHT, Part.EVIDENCE_STORE],
    )
