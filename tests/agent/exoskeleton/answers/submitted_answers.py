"""The answer that is submitted for a trial whose model completes it with a message.

    submit_by_solver(
        completion_call("emma and persuasion"),
        small_models={"format": '{"message": "emma, persuasion"}'},
    ).answer == "emma, persuasion"

Functions of the benchmark put the message into its form. They may ask small models, one for each
role: the formatter (`format`), and the reviewer of drafts (`check_draft`).
"""

from controlplane.agent.events import Judged
from controlplane.agent.exoskeleton import Part
from controlplane.agent.model import ToolCall
from tests.support.books.library_calls import FIND_BOOKS_BY_AUSTEN
from tests.support.books.model_by_turn import ModelByTurn
from tests.support.books.solver_attempts import run_attempt


def submit_by_solver(completion: ToolCall, small_models: dict[str, str]) -> Judged:
    """Play a trial whose model completes it like this, and return the answer that is submitted.

    `small_models` are the replies of small models by role, such as `{"format": "{...}"}`. A model
    that is not named fails.
    """
    model = ModelByTurn([[FIND_BOOKS_BY_AUSTEN], [completion]], small_models)
    trial = run_attempt(model, parts=[Part.PREFLIGHT, Part.FORMATTER])
    return trial.judged_answers[-1]
