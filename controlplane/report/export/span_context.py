"""What all OpenTelemetry spans of one trial have in common, and their ids.

The ids are hashes, so that each export of a journal gives the same ids.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from controlplane.journal.recorded_trial import RecordedTrial
from controlplane.report.export.otlp import (
    ERROR,
    INTERNAL,
    OK,
    Span,
    attributes_of,
    nanoseconds,
)


@dataclass(frozen=True, slots=True)
class Period:
    """The time that a span covers, in milliseconds since 1970."""

    began_ms: float
    ended_ms: float

    @classmethod
    def ending_at(cls, ended_ms: float, elapsed_ms: float) -> Period:
        return cls(ended_ms - elapsed_ms, ended_ms)


@dataclass(frozen=True, slots=True)
class SpanContext:
    """What the spans of a trial have in common."""

    trace_id: str
    trial_id: str
    agent: str
    model: str
    provider: str
    """The host of the model's endpoint."""

    @classmethod
    def of(cls, trial: RecordedTrial) -> SpanContext:
        """Return the context of a trial's spans. The same trial always has the same ids."""
        journal = trial.journal
        host = urlsplit(str(journal.setting("base_url") or "")).hostname
        return cls(
            trace_id=_trace_id(journal.run, trial.trial_id),
            trial_id=trial.trial_id,
            agent=str(journal.setting("agent") or "cited"),
            model=journal.opened.model,
            provider=host or "openai",
        )

    @property
    def trial_span_id(self) -> str:
        """The id of the span of the whole trial. All other spans are below it."""
        return self.span_id("trial")

    def span_id(self, *names: object) -> str:
        """Return the id of the span that `names` identify in the trial, such as ("chat", 3, 1)."""
        name = f"{self.trace_id}{names}"
        digest = hashlib.sha256(name.encode()).hexdigest()
        return digest[:16]  # 8 bytes, as OTLP requires

    def span(
        self, span_id: str, name: str, period: Period, attributes: Mapping[str, object]
    ) -> Span:
        """Return a span below the trial's span.

        It has the kind and status of something that happened in this process and
        succeeded. The caller changes them for others.
        """
        shared_attributes = {
            "gen_ai.provider.name": self.provider,
            "gen_ai.conversation.id": self.trial_id,
        }
        return {
            "traceId": self.trace_id,
            "spanId": span_id,
            "parentSpanId": self.trial_span_id,
            "name": name,
            "kind": INTERNAL,
            "startTimeUnixNano": nanoseconds(period.began_ms),
            "endTimeUnixNano": nanoseconds(period.ended_ms),
            "attributes": attributes_of(shared_attributes | dict(attributes)),
            "status": {"code": OK},
        }


def failed(span: Span, error: str) -> Span:
    """Return a span with the status that what it describes has failed."""
    return span | {"status": {"code": ERROR, "message": error}}


def _trace_id(run: str, trial_id: str) -> str:
    """Return the id that joins the spans of a trial: 32 hex digits, from the ids of run and trial."""
    # The zero byte, which is in no id, keeps apart `run1` + `2` and `run` + `12`.
    # `surrogatepass`: an id may contain half a surrogate pair, which UTF-8 refuses.
    name = f"{run}\0{trial_id}".encode(errors="surrogatepass")
    return hashlib.sha256(name).hexdigest()[:32]  # 16 bytes, as OTLP requires
