"""Answers a request as a check of the benchmark says, without asking the model.

A check may find that the user who asks must not see a record, and refuse the request:

    CheckValue(outcome="OUTCOME_DENIED_SECURITY", message="This loan is not yours.")
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.exoskeleton.answer.answer_submission import submit_answer
from controlplane.agent.exoskeleton.checks import CheckValue
from controlplane.agent.exoskeleton.cited_path import CitedPath
from controlplane.agent.exoskeleton.completion import Completion
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Operation,
    ToolSchema,
)


def submit_check_answer(
    session: TrialSession, value: CheckValue, references: tuple[CitedPath, ...]
) -> bool:
    """Delete the files that a check names, and submit its answer with its references.

    | what happens | returned |
    |---|---|
    | a file cannot be deleted | False, and nothing is submitted |
    | the gates reject the answer, or the environment refuses it | False |
    | the gates accept the answer, and the environment takes it | True |
    """
    try:
        if value.delete:
            can_delete = delete_files(session, value.delete)
            if not can_delete:
                return False
        answer = Completion(
            message=value.message,
            outcome=value.outcome,
            records=references,
        )
        return submit_answer(session, answer).accepted
    except CallError:
        return False


def delete_files(session: TrialSession, paths: Sequence[str]) -> bool:
    """Delete files, and return True. Return False if the environment has no operation for this.

    Raises `CallError` if it refuses to delete a file.
    """
    deletion = _deleting_operation(session.tool_schema)
    if deletion is None:
        return False
    for path in paths:
        session.call(deletion.name, {deletion.subject: path})
    return True


def _deleting_operation(tool_schema: ToolSchema) -> Operation | None:
    """Return the environment's first operation that deletes a file; None if it has none."""
    for operation in tool_schema.operations:
        if operation.effect is Effect.DELETES:
            return operation
    return None
