"""An answer with a field of a record must cite the record, if it was read.

trial     reads the branch `/proc/branches/lombok.json`
answer    "Utrecht", to "What exact `city` is recorded for Lombok?"
objects   the rule `field-record`, since the branch was read and is not cited
"""

from tests.benchmarks.shop.rules.read_records.answers_after_reading import rules_against
from tests.benchmarks.shop.trial_traces import Trace


def test_the_record_that_was_read_must_be_cited() -> None:
    trace = Trace().read("/proc/branches/lombok.json", "Utrecht")

    rules = rules_against(
        "Utrecht",
        request="What exact `city` is recorded for Lombok?",
        after=trace,
        cited=("/AGENTS.MD",),
    )

    assert rules == ["field-record"]


def test_without_a_record_that_was_read_the_field_may_be_on_a_page() -> None:
    trace = Trace().read("/AGENTS.MD", "Lombok is in Utrecht")

    rules = rules_against(
        "Utrecht",
        request="What exact `city` is recorded for Lombok?",
        after=trace,
        cited=("/AGENTS.MD",),
    )

    assert rules == []


def test_after_a_change_the_request_was_more_than_a_question() -> None:
    trace = (
        Trace().read("/proc/branches/lombok.json", "Utrecht").write("/notes/a.txt", "x")
    )

    rules = rules_against(
        "Utrecht", request="What exact `city` is recorded for Lombok?", after=trace
    )

    assert rules == []
