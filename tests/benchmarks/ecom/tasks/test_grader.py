"""The grader: what each fault costs, and that all of them are told."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from benchmarks.ecom.runtime.shop_environment import EcomEnvironment
from benchmarks.ecom.tasks.grader import Grade, grade
from benchmarks.ecom.tasks.task import CLARIFICATION, DENIED, OK, UNSUPPORTED, Truth
from benchmarks.ecom.world.generator import WorldSettings, generate

WORLD = generate("grader", WorldSettings(names="own"))
BASKETS = [WORLD.path(basket) for basket in list(WORLD.baskets.values())[:3]]
TABLE = "/archive/export.tsv"
WORLD.files[TABLE] = "row_id\tamount\nAR-1\t10\nAR-2\t20\n"
STORE = WORLD.path(next(iter(WORLD.stores.values())))
TRUTH = Truth(
    instruction="",
    outcome=OK,
    message="[QTY:4]",
    is_exact=True,
    records=(BASKETS[0], STORE),
    tolerated=(BASKETS[2], TABLE),
)


def graded(truth: Truth, message: str, refs: tuple[str, ...], *, outcome: str = OK) -> Grade:
    environment = EcomEnvironment(WORLD.workspace())
    environment.answer(message, outcome, refs)
    return grade(truth, environment)


@pytest.mark.parametrize(
    ("message", "score"),
    [
        ("[QTY:4]", 1.0),
        ("  [QTY:4]\n", 1.0),
        ("It is [QTY:4].", 0.0),
        ("[QTY:14]", 0.0),
        ("4", 0.0),
        ("", 0.0),
    ],
)
def test_an_exact_message_is_wanted_exactly(message: str, score: float) -> None:
    result = graded(TRUTH, message, (BASKETS[0], STORE))
    assert (result.score, bool(result.details)) == (score, score < 1.0)


@pytest.mark.parametrize(
    ("refs", "score", "lines"),
    [
        ((BASKETS[0], STORE), 1.0, 0),
        ((STORE, BASKETS[0], TABLE + "#row=AR-2"), 1.0, 0),
        ((STORE, BASKETS[0], TABLE + "#row=AR-3"), 0.0, 1),
        ((STORE, BASKETS[0], TABLE + "#anything"), 0.0, 1),
        ((STORE, BASKETS[0], STORE + "#row=1"), 0.0, 1),
        ((BASKETS[0], STORE, "/bin/id", "/bin/date"), 1.0, 0),
        ((BASKETS[0], STORE, "/docs/stock.md"), 0.0, 1),
        ((BASKETS[0], STORE, "/bin/refund"), 0.0, 1),
        ((BASKETS[0], STORE, BASKETS[2]), 1.0, 0),
        ((BASKETS[0],), 0.0, 1),
        ((BASKETS[0], STORE, BASKETS[1]), 0.0, 1),
        ((BASKETS[0], BASKETS[1]), 0.0, 2),
        ((BASKETS[0], STORE, "/proc/none.json"), 0.0, 1),
        ((BASKETS[0], STORE.upper()), 0.0, 2),
        ((), 0.0, 2),
    ],
)
def test_references_are_compared_as_sets(refs: tuple[str, ...], score: float, lines: int) -> None:
    result = graded(TRUTH, "[QTY:4]", refs)
    assert (result.score, len(result.details)) == (score, lines)


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


def test_every_fault_has_its_line() -> None:
    environment = EcomEnvironment(WORLD.workspace())
    environment.call("delete", {"path": BASKETS[1]})
    environment.answer("no idea", DENIED, [BASKETS[0]])
    result = grade(replace(TRUTH, changes={STORE: "{}", "/exports/a.csv": "x"}), environment)
    assert result.score == 0.0
    assert result.details == (
        f"expected outcome {OK}, got {DENIED}",
        f'answer refs for family "{"/".join(STORE.split("/")[:3])}" mismatch: missing [{STORE}], extra []',
        'Answer should be "[QTY:4]"',
        f"expected only file changes [/exports/a.csv {STORE}], got [{BASKETS[1]}]",
    )


@pytest.mark.parametrize(
    ("path", "wanted", "written", "is_right"),
    [
        ("/tmp/a.json", '{"a": 1, "b": 2}', '{"b":2,"a":1}', True),
        ("/tmp/a.json", '{"a": 1}', '{"a": 2}', False),
        ("/tmp/a.json", '{"a": 1}', "{", False),
        ("/tmp/a.csv", "a,b\n", "a,b\n", True),
        ("/tmp/a.csv", "a,b\n", "a, b\n", False),
    ],
)
def test_records_are_compared_as_data_and_other_files_as_text(
    path: str, wanted: str, written: str, is_right: bool
) -> None:
    environment = EcomEnvironment(WORLD.workspace())
    environment.call("write", {"path": path, "content": written})
    environment.answer("[QTY:4]", OK, [BASKETS[0], STORE])
    assert (grade(replace(TRUTH, changes={path: wanted}), environment).score == 1.0) is is_right


@dataclass(frozen=True)
class Half:
    """Gives one half to every answer."""

    def measure(self, message: str, refs: Sequence[str]) -> tuple[float, tuple[str, ...]]:
        return 0.5, (f"{message} with {len(refs)} references",)


def test_only_an_answer_without_a_fault_is_graded_in_fractions() -> None:
    truth = replace(TRUTH, is_exact=False, measure=Half())
    assert graded(truth, "[QTY:4]", (BASKETS[0], STORE)) == Grade(0.5, ("[QTY:4] with 2 references",))
    faulty = graded(truth, "[QTY:4]", (BASKETS[0],))
    assert faulty.score == 0.0
    assert faulty.details[-1] == "[QTY:4] with 1 references"
