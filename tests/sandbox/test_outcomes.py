"""The outcomes that a benchmark declares: their names, kinds and sentences.

Outcomes(Outcome("OUTCOME_OK", OutcomeKind.DONE), ...).kind_of("OUTCOME_OK")  # OutcomeKind.DONE
"""

import pytest

from controlplane.sandbox.interface.outcomes import (
    DENIED,
    GENERAL_OUTCOMES,
    INTERNAL,
    PLATFORM_OUTCOMES,
    Outcome,
    OutcomeKind,
    Outcomes,
)

LENT = Outcome("OUTCOME_LENT", OutcomeKind.DONE, "the book is lent")
DECLINED = Outcome("OUTCOME_DECLINED", OutcomeKind.REFUSED, "the rules forbid it")
BANNED = Outcome("OUTCOME_BANNED", OutcomeKind.REFUSED, "the reader may borrow nothing")


def test_every_benchmark_has_the_outcome_of_a_trial_that_gives_up() -> None:
    assert Outcomes(LENT, DECLINED).names == (
        "OUTCOME_LENT",
        "OUTCOME_DECLINED",
        "OUTCOME_ERR_INTERNAL",
    )
    assert Outcomes(LENT).kind_of(INTERNAL) is None


@pytest.mark.parametrize(
    ("platform_name", "general_name"),
    [
        ("OUTCOME_OK", "OUTCOME_OK"),
        ("OUTCOME_DENIED_SECURITY", "OUTCOME_REFUSED"),
        ("OUTCOME_NONE_CLARIFICATION", "OUTCOME_UNCLEAR"),
        ("OUTCOME_NONE_UNSUPPORTED", "OUTCOME_NOT_FOUND"),
        ("OUTCOME_ERR_INTERNAL", "OUTCOME_ERR_INTERNAL"),
    ],
)
def test_a_name_of_the_platform_stands_for_the_general_one_of_its_kind(
    platform_name: str, general_name: str
) -> None:
    assert GENERAL_OUTCOMES.own_name(platform_name) == general_name
    assert PLATFORM_OUTCOMES.own_name(platform_name) == platform_name
    assert GENERAL_OUTCOMES.has(platform_name)


def test_a_name_of_the_platform_stands_for_none_of_two_of_its_kind() -> None:
    outcomes = Outcomes(LENT, DECLINED, BANNED)

    assert outcomes.own_name(DENIED) == DENIED
    assert not outcomes.has(DENIED)


def test_a_name_of_another_benchmark_stands_for_nothing() -> None:
    assert PLATFORM_OUTCOMES.own_name("OUTCOME_REFUSED") == "OUTCOME_REFUSED"
    assert not PLATFORM_OUTCOMES.has("OUTCOME_REFUSED")
    assert not PLATFORM_OUTCOMES.has(["OUTCOME_OK"])


@pytest.mark.parametrize(
    ("declared", "fault"),
    [
        pytest.param(
            ("LENT", OutcomeKind.DONE), "'LENT' is no outcome", id="without OUTCOME_"
        ),
        pytest.param(
            ("OUTCOME_lent", OutcomeKind.DONE), "capital letters", id="small letters"
        ),
        pytest.param(
            ("OUTCOME_", OutcomeKind.DONE), "is no outcome", id="nothing behind it"
        ),
        pytest.param(
            (INTERNAL, OutcomeKind.DONE), "without being declared", id="giving up"
        ),
        pytest.param(
            ("OUTCOME_DECLINED", OutcomeKind.REFUSED),
            "needs a sentence",
            id="no sentence",
        ),
        pytest.param(
            ("OUTCOME_LENT", OutcomeKind.DONE, "it\nis lent"),
            "one line",
            id="two lines",
        ),
        pytest.param(("OUTCOME_LENT", "lent"), "lent", id="an unknown kind"),
    ],
)
def test_a_faulty_outcome_is_refused(declared: tuple[str, ...], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        Outcome(*declared)  # type: ignore[arg-type] # also of wrong types


@pytest.mark.parametrize(
    ("declared", "fault"),
    [
        pytest.param([DECLINED], "of the kind `done`", id="none is done"),
        pytest.param([LENT, LENT], "declared twice", id="one twice"),
    ],
)
def test_faulty_outcomes_are_refused(declared: list[Outcome], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        Outcomes(*declared)
