"""`export last --to otel.jsonl` writes traces for OpenTelemetry, in which programs show what took time.

A *span* is what took time: a request to the model, a call, or the whole trial, to which the others
belong. The file has a line for each span:

    {"resourceSpans": [{"scopeSpans": [{"spans": [{"spanId": ..., "attributes": ...}]}]}]}
"""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import CommandRunner
from tests.support.product_files import ROOT


@pytest.fixture
def spans_of_sample(
    run_command_here: CommandRunner, tmp_path: Path
) -> list[dict[str, Any]]:
    """The spans of the sample's one trial: its requests and calls, and last the trial itself."""
    run_command_here("export", str(ROOT / "runs/sample.jsonl"), "--to", "otel.jsonl")
    spans = []
    for line in (tmp_path / "otel.jsonl").read_text().splitlines():
        (resource,) = json.loads(line)["resourceSpans"]
        (scope,) = resource["scopeSpans"]
        spans += scope["spans"]
    return spans


def attributes_of(span: dict[str, Any]) -> dict[str, object]:
    """Return a span's attributes: `{"gen_ai.operation.name": "chat", ...}`.

    The file writes each as `{"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}}`.
    """
    attributes = {}
    for attribute in span["attributes"]:
        (value,) = attribute["value"].values()
        attributes[attribute["key"]] = value
    return attributes


def test_the_last_span_is_the_whole_trial_with_its_score(
    spans_of_sample: list[dict[str, Any]],
) -> None:
    """The names are those of OpenTelemetry's conventions for agents."""
    trial_span = spans_of_sample[-1]

    assert attributes_of(trial_span)["gen_ai.operation.name"] == "invoke_agent"
    assert trial_span["events"][0]["name"] == "gen_ai.evaluation.result"


def test_requests_and_calls_are_child_spans_of_the_trial(
    spans_of_sample: list[dict[str, Any]],
) -> None:
    """A request to the model is a span "chat", a call to the environment "execute_tool"."""
    *child_spans, trial_span = spans_of_sample

    span_ids = {span["spanId"] for span in spans_of_sample}
    assert len(span_ids) == len(spans_of_sample), "two spans have the same id"
    for span in child_spans:
        assert span["parentSpanId"] == trial_span["spanId"]
        assert span["traceId"] == trial_span["traceId"]
    operations = {attributes_of(span)["gen_ai.operation.name"] for span in child_spans}
    assert operations == {"chat", "execute_tool"}


def test_child_spans_end_before_the_trial_does(
    spans_of_sample: list[dict[str, Any]],
) -> None:
    """Their times are in nanoseconds since 1970."""
    *child_spans, trial_span = spans_of_sample

    end_of_trial = int(trial_span["endTimeUnixNano"])
    for span in child_spans:
        start = int(span["startTimeUnixNano"])
        end = int(span["endTimeUnixNano"])
        assert start <= end
        assert end <= end_of_trial
