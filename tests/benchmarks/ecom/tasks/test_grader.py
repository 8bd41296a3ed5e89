"""The grader: what each fault costs, and that all of them are told."""

import pytest

from benchmarks.ecom.shop_environment import EcomEnvironment
from benchmarks.ecom.tasks.grader import CLARIFICATION, DENIED, OK, UNSUPPORTED, Grade, Truth, grade
from benchmarks.ecom.world.generator import WorldSettings, generate

WORLD = generate("grader", WorldSettings(names="own"))
TABLE = "/archive/export.tsv"
WORLD.files[TABLE] = "row_id\tamount\nAR-1\t10\nAR-2\t20\n"


def bought(*calls: tuple[str, str, str]) -> Grade:
    """Return the grade of a checkout that is asked for, after some calls: operation, path, argument or content."""
    basket = next(basket for basket in WORLD.baskets.values() if basket.status == "active")
    path, environment = WORLD.path(basket), EcomEnvironment(WORLD.workspace())
    after = WORLD.text(basket, status="checked_out")
    texts = {"bought": after, "first": WORLD.text(basket)}
    for operation, tool, given in calls:
        if operation == "exec":
            environment.call("exec", {"path": tool, "args": [given.format(id=basket.id)]})
        else:
            environment.call("write", {"path": path, "content": texts[given]})
    environment.answer("Done.", OK, [path])
    truth = Truth("Buy it.", "Done.", records=(path,), changes={path: after}, calls=(("checkout", basket.id),))
    return grade(truth, environment)


CHECKOUT = ("exec", "/bin/checkout", "{id}")


@pytest.mark.parametrize(
    ("calls", "score"),
    [
        ((CHECKOUT,), 1.0),
        ((("exec", "/bin/checkout", "--help"), CHECKOUT), 1.0),
        ((("exec", "/bin/checkout", "none"), CHECKOUT), 1.0),  # A tool that failed did nothing.
        ((("write", "", "bought"),), 0.0),
        ((CHECKOUT, ("write", "", "first"), CHECKOUT), 0.0),
        ((CHECKOUT, ("write", "", "bought")), 0.0),
    ],
)
def test_a_change_that_a_page_binds_to_a_tool_counts_only_by_it_and_once(
    calls: tuple[tuple[str, str, str], ...], score: float
) -> None:
    assert bought(*calls).score == score


@pytest.mark.parametrize("outcome", [DENIED, UNSUPPORTED, CLARIFICATION])
def test_a_refusal_or_a_question_after_a_change_that_was_undone_scores_nothing(outcome: str) -> None:
    environment = EcomEnvironment(WORLD.workspace())
    environment.call("write", {"path": "/tmp/draft", "content": "x"})
    environment.call("delete", {"path": "/tmp/draft"})
    environment.answer("No.", outcome, [])
    result = grade(Truth("Do it.", "No.", outcome), environment)
    assert result == Grade(0.0, ("expected no changing call, got [write /tmp/draft, delete /tmp/draft]",))
