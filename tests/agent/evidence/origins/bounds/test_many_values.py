"""Of a call with very many values, only the first are looked up: the others are by an unknown author.

A script may write a file of 900,000 characters, in which 90,000 numbers are. To look up all of them
would cost the parent process seconds for each call.
"""

import pytest

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.call_origins import CallOrigins
from controlplane.agent.evidence.origins.policy import ProvenancePolicy
from controlplane.agent.evidence.origins.texts import Origin
from controlplane.agent.evidence.texts.own import comparable_words
from controlplane.sandbox.interface import (
    Effect,
    Operation,
    Parameter,
    Plain,
    ToolSchema,
    bounds,
)
from tests.agent.evidence.origins.texts_of_trial import TextsOfTrial
from tests.support.executed_work import executed_lines


def operation(name: str, argument: str, effect: Effect) -> Operation:
    parameter = Parameter(argument, "str")
    return Operation(name, (parameter,), (), "", effect=effect, subject="")


def different_numbers(count: int) -> str:
    return " ".join(str(1_000_000 + number) for number in range(count))


def test_ten_times_as_many_numbers_are_not_ten_times_the_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bounds, "MOST_TRACED_PARTS", 200)
    monkeypatch.setattr(bounds, "MOST_TRACED_VALUES", 200)
    texts = TextsOfTrial(request="Write the numbers.")
    texts.origin_of(different_numbers(200))  # loads what all look-ups share

    work = executed_lines(lambda: texts.origin_of(different_numbers(300)))
    more_work = executed_lines(lambda: texts.origin_of(different_numbers(3_000)))

    assert more_work < 5 * work


@pytest.mark.parametrize("number_count", [20, 21])
def test_a_value_beyond_the_limit_is_by_an_unknown_author(
    monkeypatch: pytest.MonkeyPatch, number_count: int
) -> None:
    """The text itself counts, too, so that 20 numbers are too many for a limit of 20, and 19 are not."""
    monkeypatch.setattr(bounds, "MOST_TRACED_PARTS", number_count)
    texts = TextsOfTrial()

    expected = Origin.PROSE if number_count == 20 else Origin.MADE
    assert texts.origin_of(different_numbers(20)) is expected


def test_the_limit_is_that_of_all_arguments_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bounds, "MOST_TRACED_PARTS", 30)
    texts = TextsOfTrial()
    numbers = different_numbers(20)

    origins = texts.origins({"first": numbers, "second": f"{numbers} and more"})

    assert origins["first"].origin is Origin.MADE
    assert origins["second"].origin is Origin.PROSE


@pytest.mark.parametrize(
    ("limit", "expected"), [(100, Origin.RECORD), (10, Origin.PROSE)]
)
def test_the_result_of_a_call_with_too_many_values_makes_none_trusted(
    monkeypatch: pytest.MonkeyPatch, limit: int, expected: Origin
) -> None:
    """The result may repeat the account, which a script has hidden behind many numbers."""
    monkeypatch.setattr(bounds, "MOST_TRACED_PARTS", limit)
    look = operation("look", "text", Effect.RETURNS)
    pay = operation("pay", "to", Effect.ACTS)
    tool_schema = ToolSchema(operations=(look, pay))
    origins = CallOrigins(tool_schema, EvidenceLog(tool_schema))
    origins.policy = ProvenancePolicy(default_mode="ask")
    arguments: dict[str, Plain] = {"text": different_numbers(20)}
    result: dict[str, Plain] = {"value": '{"account": "DE89370400440532013000"}'}

    origins.learn(CallRecord(operation="look", arguments=arguments, result=result))

    found = origins.origins_of("pay", {"to": "DE89370400440532013000"})
    assert found["to"].origin is expected


def test_a_number_that_is_repeated_is_read_once() -> None:
    """Scripts' own words are the words and numbers that they pass to calls."""
    work = executed_lines(lambda: comparable_words("1,5 7 " * 10_000))

    assert comparable_words("1,5 7 " * 10_000) == {"1", "5", "7", "#15", "#7"}
    assert work < 500
