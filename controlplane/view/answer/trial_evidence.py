"""What a recorded trial has shown to its scripts, by which the values of its answer are judged."""

from __future__ import annotations

from controlplane.agent.events import Citation
from controlplane.agent.evidence import EvidenceLog
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.gates.support.value_support import ValueMarker, marker_of
from controlplane.gates.trial import Change, ScriptRun
from controlplane.journal.tool_schema_text import tool_schema_from_text
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.sandbox.interface import ToolSchema, bounds


def cited_paths(summary: TrialSummary) -> set[str]:
    """Return the paths that an answer cites, without their fragments."""
    return {ref.partition("#")[0] for ref in summary.refs}


def marker_of_trial(record: TrialRecord, summary: TrialSummary) -> ValueMarker:
    """Return a marker, which finds what supports each value in a trial's answer.

    Values can be supported by results of calls, by the trial's clock, and by what scripts
    computed.
    """
    clock = []
    if record.started and record.started.now:
        clock.append(record.started.now)
    scripts = []
    for step in record.step_summaries:
        scripts.append(ScriptRun(step.code, step.output, step.scratchpad))
    return marker_of(
        evidence_of(record).view(),
        question=summary.instruction,
        cited=cited_paths(summary),
        context_texts=clock,
        script_runs=scripts,
    )


def present_changes(record: TrialRecord) -> tuple[Change, ...]:
    """Return the changes of a trial that are still in effect at its end, by its recorded calls."""
    return evidence_of(record).view().present_changes


def evidence_of(record: TrialRecord) -> EvidenceLog:
    """Return what a trial's calls have shown to its scripts, rebuilt from the recorded calls."""
    tool_schema = ToolSchema(())
    instruction = ""
    if record.started:
        tool_schema = tool_schema_from_text(record.started.tool_schema)
        instruction = record.started.instruction
    log = EvidenceLog(tool_schema, bounds.MOST_READ_BYTES)
    # Words that a script writes count as the model's own, unless they are in the question.
    log.add_given_text(instruction)
    for call in record.all_calls:
        if call.result is not None:
            log.add_call(call.decided_by(tool_schema))
    for citation in citations_by_scripts(record):
        log.add_citation(citation)
    return log


def citations_by_scripts(record: TrialRecord) -> list[Citation]:
    """Return all citations that scripts made, even those that are not in the answer."""
    citations: list[Citation] = []
    for step in record.step_summaries:
        citations += step.citations
    citations += record.open_step.citations
    return citations
