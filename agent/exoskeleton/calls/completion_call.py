"""Carries out a completion: the call with which the model hands in its answer.

The result tells the model that the answer is accepted, or what the gates, which are rules
for answers, object to.
"""

from __future__ import annotations

from pydantic import ValidationError

from controlplane.agent.events import Judged
from controlplane.agent.exoskeleton.answer.assembly import Assembly
from controlplane.agent.exoskeleton.calls.call_outcome import CallOutcome, refused
from controlplane.agent.exoskeleton.completion import Completion
from controlplane.agent.exoskeleton.replies.reply_objects import arguments_of
from controlplane.agent.gated_exit import NotJudged
from controlplane.agent.model import ToolCall
from controlplane.sandbox.interface import CallError


def complete(assembly: Assembly, call: ToolCall) -> CallOutcome:
    """Submit the answer of a completion. The outcome has the reply of the gates."""
    try:
        arguments = arguments_of(call)  # Raises `TypeError` if they are not JSON.
        completion = Completion.model_validate(arguments)
        judged = assembly.submit(completion)
    except ValidationError as error:
        reason = f"error: the completion does not fit: {_faults_text(error)}"
        return refused(call, reason)
    except (TypeError, NotJudged) as error:
        return refused(call, f"error: {error}")
    except CallError as error:
        return CallOutcome(
            "error: the gates accepted the answer, "
            f"but the environment did not take it ({error})"
        )
    return CallOutcome("accepted" if judged.accepted else _objection_text(judged))


def _objection_text(judged: Judged) -> str:
    """Return the objection of the gates, with the answer that they have judged."""
    references = "\n".join(judged.refs) or "(nothing)"
    submitted = f"What was submitted: {judged.answer}\nIts references:\n{references}"
    return f"{judged.message}\n\n{submitted}"


def _faults_text(error: ValidationError) -> str:
    """Return the faults of a completion in one line: `outcome: Field required; …`"""
    texts = []
    for fault in error.errors():
        place = ".".join(str(part) for part in fault["loc"])
        texts.append(f"{place}: {fault['msg']}")
    return "; ".join(texts)
