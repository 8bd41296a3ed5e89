"""Scratchpads with values of any type, made by Hypothesis, as a hostile or broken script submits.

A script may submit objects whose methods lie, numbers of 5,000 digits, or a set for an answer:
`{"answer": {1, 2}, "refs_why": [("/docs/Loans.md", 1e300)], "stray": b"bytes"}`.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from controlplane.gates.evidence import Evidence
from controlplane.gates.judging.conclusion import judge
from controlplane.gates.submission import Case
from controlplane.gates.verdicts import Judgement
from tests.gates.judged_scratchpads import submission_of
from tests.gates.recorded_calls import CallsOfTrial


class LyingText(str):
    """A text whose methods pretend that it is a valid outcome or any known path.

    A gate that asked the object itself would be fooled: `text in OUTCOMES` by `__eq__`, a search
    in a set by `__hash__` and `__eq__`, a comparison of stripped texts by `strip`. `__str__`
    raises, so that a gate that formats the object into a message would fail.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash("OUTCOME_OK")

    def strip(self, *chars: object) -> str:
        return "OUTCOME_OK"

    def __str__(self) -> str:
        raise RuntimeError


def power_of_ten(digits: int) -> int:
    """Return 1000 for 3. Python refuses to print a number of 5,000 digits, as an error of
    Hypothesis would, so the strategy below has the count of digits instead."""
    return 10**digits


SINGLE_VALUES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.just(5_000).map(power_of_ten)
    | st.floats()
    | st.text(alphabet=st.characters(), max_size=20)
    | st.sampled_from(
        [
            b"bytes",
            {1, 2},
            object(),
            LyingText("x"),
            print,
            "\ud800",  # half of a surrogate pair, which UTF-8 cannot encode
            "/docs/Loans.md",
        ]
    )
)
"""Values that a script may submit, and stranger ones; lists and mappings of them follow below."""
KEYS_OF_FACTS_AND_CHANGES = ["value", "source", "confidence", "path", "action"]
MAPPING_KEYS = st.text(max_size=8) | st.sampled_from(KEYS_OF_FACTS_AND_CHANGES)


def containers_of(values: st.SearchStrategy) -> st.SearchStrategy:
    """Return a strategy for lists, mappings and pairs of values: `[1]`, `{"path": 1}`, `(1, 2)`."""
    return (
        st.lists(values, max_size=4)
        | st.dictionaries(MAPPING_KEYS, values, max_size=4)
        | st.tuples(values, values)
    )


ANY_VALUE = st.recursive(SINGLE_VALUES, containers_of, max_leaves=12)
"""Values of any type, also in lists and mappings in each other."""
ANY_SCRATCHPAD = st.fixed_dictionaries(
    {},
    optional={
        "answer": ANY_VALUE,
        "outcome": ANY_VALUE,
        "refs_why": ANY_VALUE,
        "facts": ANY_VALUE,
        "tokens": ANY_VALUE,
        "changes": ANY_VALUE,
        "stray": ANY_VALUE,
    },
)


def evidence_of_reading(with_trace: bool) -> Evidence:
    """Return the evidence of a trial that read the loan rules.

    Without a trace, it is unknown what calls the trial has made.
    """
    if not with_trace:
        return Evidence()
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")
    return calls.evidence


def judge_any(
    scratchpad: dict[str, object], instruction: str, with_trace: bool
) -> Judgement:
    """Judge a scratchpad that a script submits after it has read the loan rules."""
    evidence = evidence_of_reading(with_trace)
    return judge(submission_of(scratchpad), evidence, Case(instruction))


any_submission = given(
    scratchpad=ANY_SCRATCHPAD,
    instruction=st.text(max_size=60),
    with_trace=st.booleans(),
)
"""A decorator of tests, which Hypothesis then calls with many different submissions."""
