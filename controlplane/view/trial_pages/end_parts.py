"""The end of a trial: its score, its answer, and the support of the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from controlplane.agent.events import StepDone
from controlplane.errors import JournalDamaged
from controlplane.journal.journal_reader import TrialRecord
from controlplane.journal.tool_schema_text import tool_schema_from_text
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.quantity_texts import metrics_text, score_style, score_text
from controlplane.sandbox.interface import ToolSchema
from controlplane.terminal_text import changed_text, one_line, sanitize
from controlplane.view.results.trial_reasons import reasons_of
from controlplane.view.trial_pages.judged_claims import claim_part, judged_claims
from controlplane.view.trial_pages.page_part import Part

REASONS_KEY: Final = "refs_why"
"""The key of the scratchpad under which scripts give reasons: `{"/docs/a.md": "names the fee"}`."""


def end_parts(
    record: TrialRecord,
    summary: TrialSummary,
    steps: Sequence[StepDone],
    scratchpad: Mapping[str, object],
) -> list[Part]:
    """Return the end of a trial: its score, its answer, and the support of the answer."""
    parts = _ending_parts(summary)
    if summary.answer:
        parts.append(Part(sanitize(summary.answer), title="answer"))
        parts.append(Part(_changes_text(record)))
    claims = judged_claims(record, summary)
    if claims:
        claim_parts = [claim_part(claim) for claim in claims]
        parts.append(Part(title="claims", parts=tuple(claim_parts)))
    citations = _citation_parts(summary, steps, scratchpad)
    if citations:
        parts.append(Part(title="cites", parts=tuple(citations)))
    return parts


def _ending_parts(summary: TrialSummary) -> list[Part]:
    """Return how a trial ended, its score, and the reasons for both."""
    texts = [summary.state]
    if summary.outcome:
        texts.append(one_line(summary.outcome))
    texts.append(f"score {score_text(summary.score)}")
    if summary.metrics:
        texts.append(metrics_text(summary.metrics))
    parts = [Part(" · ".join(texts), score_style(summary.score))]

    reasons = reasons_of(summary)
    for text in reasons.ending:
        parts.append(Part(f"reason: {sanitize(text)}", "red"))
    for text in reasons.grader:
        parts.append(Part(f"grader: {sanitize(text)}", "yellow"))
    return parts


def _changes_text(record: TrialRecord) -> str:
    """Return what a trial changed, according to its recorded calls: `changed: /notes.md`."""
    calls = [call for call in record.all_calls if call.result]
    schema = ToolSchema(())
    if record.started and calls:
        try:
            schema = tool_schema_from_text(record.started.tool_schema)
        except JournalDamaged:
            return "changed: not known, since the declaration of the environment is malformed"
    if not any(schema.may_change(call.operation, call.arguments) for call in calls):
        return changed_text(())
    # Importing this module takes time, as it imports the rules. Other pages do not need it.
    from controlplane.view.answer.trial_evidence import present_changes

    return changed_text(present_changes(record))


def _citation_parts(
    summary: TrialSummary, steps: Sequence[StepDone], scratchpad: Mapping[str, object]
) -> list[Part]:
    """Return the cited paths with the reasons for citing them and the quotations.

    `scratchpad` has the values that scripts kept, and the reasons under `REASONS_KEY`.
    """
    quotations = _quotations(steps)
    reasons = scratchpad.get(REASONS_KEY)
    if not isinstance(reasons, Mapping):
        reasons = {}
    parts = []
    for path in summary.refs:
        reason = one_line(str(reasons.get(path, "")))
        quoted: tuple[Part, ...] = ()
        if path in quotations:
            quoted = (Part(" · ".join(quotations[path])),)
        tail = f"  {reason}".rstrip()
        parts.append(Part(one_line(path), "cyan", tail=tail, parts=quoted))
    return parts


def _quotations(steps: Iterable[StepDone]) -> dict[str, list[str]]:
    """Return the accepted quotations by cited path, such as `/docs/a.md, line 3: “30 days”`."""
    by_path: dict[str, list[str]] = {}
    for step in steps:
        for citation in step.citations:
            # The path as the environment spells it. It is empty if the citation was refused.
            path = citation.spelling
            if not citation.quote or not path:
                continue
            place = f"{path}, line {citation.line}" if citation.line else path
            text = one_line(f"{place}: “{citation.quote}”")
            texts = by_path.setdefault(path, [])
            if text not in texts:
                texts.append(text)
    return by_path
