"""The OpenTelemetry spans of one trial: one for the trial, and below it its requests and calls."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.agent.events import TrialStarted
from controlplane.journal.recorded_trial import RecordedTrial
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.report.export.finished_calls import finished_calls
from controlplane.report.export.otlp import Span, attributes_of, nanoseconds
from controlplane.report.export.span_context import Period, SpanContext, failed
from controlplane.report.export.step_spans import call_span, request_span
from controlplane.report.input_writer import InputWriter
from controlplane.report.model_requests import model_requests


def trial_spans(trial: RecordedTrial) -> Iterator[Span]:
    """Yield a span for each model request and call of a trial, and one for the trial if it started."""
    context = SpanContext.of(trial)
    inputs = InputWriter()
    for request in model_requests(trial):
        for reply in request.replies:
            yield request_span(context, request, reply, inputs)
    for call in finished_calls(trial):
        yield call_span(context, call)
    period = _period_of(trial)
    if period is not None:
        yield _span_of_trial(context, trial, period)


def _period_of(trial: RecordedTrial) -> Period | None:
    """Return the time from a trial's first start to its last event; None if it never started."""
    began_ms = None
    ended_ms = 0
    for event in trial.events():
        ended_ms = max(ended_ms, event.at_ms)
        if began_ms is None and isinstance(event, TrialStarted):
            began_ms = event.at_ms
    return None if began_ms is None else Period(began_ms, ended_ms)


def _span_of_trial(context: SpanContext, trial: RecordedTrial, period: Period) -> Span:
    """Return the span of the trial, with its score as an event."""
    summary = trial.summary
    attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": context.agent,
        "gen_ai.request.model": context.model,
        "controlplane.task_id": trial.task_id,
    }
    span = context.span(
        context.trial_span_id, f"invoke_agent {context.agent}", period, attributes
    )
    # `context.span` makes spans below the one of the trial. This is that span itself.
    span["parentSpanId"] = ""
    if summary.is_over and summary.state != "answered":
        span = failed(span, summary.reason or summary.state)
    span["events"] = []
    if summary.score is not None or summary.why_unscored:
        span["events"] = [_score_event(summary, period.ended_ms)]
    return span


def _score_event(summary: TrialSummary, ended_ms: float) -> dict[str, object]:
    """Return the event that tells a trial's score, or why it has none."""
    explanation = "; ".join(summary.details) or summary.why_unscored
    evaluation: dict[str, object] = {
        "gen_ai.evaluation.name": "grader",
        "gen_ai.evaluation.explanation": explanation,
    }
    if summary.score is None:
        evaluation["gen_ai.evaluation.score.label"] = "no score"
    else:
        evaluation["gen_ai.evaluation.score.value"] = summary.score
    return {
        "timeUnixNano": nanoseconds(ended_ms),
        "name": "gen_ai.evaluation.result",
        "attributes": attributes_of(evaluation),
    }
