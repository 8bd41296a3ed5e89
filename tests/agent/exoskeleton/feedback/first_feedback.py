"""What a model is told after its first reply in a trial.

    feedback_on([tool_call("read")])   # "... needs 'path' ...", among the texts of the trial
    feedback_on("The books are by Austen.")   # "... That reply called no tool ..."

The trial is in a library: the model looks for books by Austen.
"""

from collections.abc import Sequence

from controlplane.agent.exoskeleton import Part
from controlplane.agent.model import Reply, ToolCall
from tests.support.books.library_calls import FIND_BOOKS_BY_AUSTEN, completion_call
from tests.support.books.model_by_turn import ModelByTurn
from tests.support.books.solver_attempts import run_attempt


def feedback_on(first_reply: Sequence[ToolCall] | str | Reply) -> str:
    """Return what the model is told in a trial in which this is its first reply.

    Its next two replies find the books by Austen, and complete the trial.
    """
    model = ModelByTurn([first_reply, [FIND_BOOKS_BY_AUSTEN], [completion_call()]])

    trial = run_attempt(model, parts=[Part.PREFLIGHT])

    assert trial.shelf.answers == ["emma and persuasion"]
    return trial.shown_to_model
