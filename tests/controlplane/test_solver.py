import pytest

from controlplane.errors import UsageError
from controlplane.solver import EXOSKELETON_PARTS, chosen_parts

PARTS = {"classifier": True, "preflight": False}


@pytest.mark.parametrize(
    ("text", "on"),
    [
        ("", {"classifier"}),
        ("-classifier", set()),
        (" +preflight , -classifier,", {"preflight"}),
        ("+classifier", {"classifier"}),
    ],
)
def test_a_text_changes_what_the_solver_has_on(text, on):
    assert chosen_parts(text, PARTS, "any") == on


@pytest.mark.parametrize(
    ("text", "declared", "why"),
    [
        ("classifier", PARTS, "switched off as -classifier"),
        ("-clasifier", PARTS, "did you mean"),
        ("-classifier", {}, "it has none"),
    ],
)
def test_what_is_no_part_is_refused(text, declared, why):
    with pytest.raises(UsageError, match=why):
        chosen_parts(text, declared, "any")


def test_the_solver_has_the_parts_that_it_is_said_to_have():
    from agent.exoskeleton import Part

    assert tuple(Part) == EXOSKELETON_PARTS
