"""Submits the answer of a completion, after its files are cited.

A completion is the call with which the model hands in its answer. It names files with a reason, and
maybe a quotation. A wrong quotation does not cost the citation: the file is cited without it, and
the model gets a note.
"""

from __future__ import annotations

from controlplane.agent.events import Judged
from controlplane.agent.exoskeleton.cited_path import CitedPath
from controlplane.agent.exoskeleton.completion import Completion
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.gates.submission import Submission
from controlplane.sandbox.interface import Plain


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
