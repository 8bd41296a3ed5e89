"""The last message to a client whose answer was accepted."""

from __future__ import annotations

from controlplane.agent.loop import TrialSession
from controlplane.gates.checks.change_words import change_entries
from controlplane.gates.evidence import Evidence
from controlplane.gates.submission import OK
from controlplane.gates.support.footnotes import footnoted
from controlplane.gates.support.trial_marker import marker_of


def farewell(session: TrialSession) -> str:
    """Return the last message to a client whose answer was accepted.

    It has the answer with footnotes, as `ask` prints it, and lists what the trial changed.
    """
    evidence = session.gated_exit.recorder.evidence_log.view()
    parts = ["The answer passed the gates. This trial is over."]
    answer = _footnoted_answer(session, evidence)
    if answer:
        parts.append(answer)
    changes = evidence.present_changes
    parts.append(f"changed: {change_entries(changes) if changes else 'nothing'}")
    return "\n\n".join(parts)


def _footnoted_answer(session: TrialSession, evidence: Evidence) -> str:
    """Return the accepted answer with a footnote for each value: its place in the files.

    The text is empty if the trial is not a question about files, or if its answer has
    no values.
    """
    answer = session.gated_exit.outlet.accepted
    # Only questions about files have the operation `passages`.
    asks_files = session.tool_schema.operation("passages") is not None
    if answer is None or answer.outcome != OK or not asks_files:
        return ""
    # The marker finds the values of a text, and for each value the place that has it.
    marker = marker_of(
        evidence,
        question=session.instruction,
        # The files of references such as `notes.md#L3`.
        cited={reference.partition("#")[0] for reference in answer.refs},
        # The answer may name the trial's date, although no file contains it.
        context_texts=[session.trial.now_text],
        script_runs=evidence.script_runs,
    )
    marks = marker.marks(answer.message)
    if not marks:
        return ""
    message, footnotes = footnoted(answer.message, marks)
    return f"{message}\n{footnotes}".strip()
