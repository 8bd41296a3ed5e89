"""Scratchpads with values of any type, made by Hypothesis, as a hostile or broken script submits.

ANY_SCRATCHPAD.example()
# {"answer": {1, 2}, "refs_why": [("/docs/Loans.md", 1e300)], "stray": b"bytes"}
"""

from __future__ import annotations

from hypothesis import strategies as st

from tests.gates.judging.any_submission.lying_text import LyingText

# Built by a call, because Python refuses to print a number of 5,000 digits, and Hypothesis prints
# the values of a failing test: this one as `pow(10, 5000)`.
LONG_NUMBER = st.builds(pow, st.just(10), st.just(5_000))

SINGLE_VALUES = (
    st.none()
    | st.booleans()
    | st.integers()
    | LONG_NUMBER
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
"""Values of one piece, of which a script usually submits texts and numbers."""

# The usual keys of the mappings in a scratchpad's `facts` and `changes`, or any other.
MAPPING_KEYS = st.text(max_size=8) | st.sampled_from(
    ["value", "source", "confidence", "path", "action"]
)


def containers_of(values: st.SearchStrategy) -> st.SearchStrategy:
    """Return a strategy for lists, mappings and pairs of values: `[1]`, `{"path": 1}`, `(1, 2)`."""
    return (
        st.lists(values, max_size=4)
        | st.dictionaries(MAPPING_KEYS, values, max_size=4)
        | st.tuples(values, values)
    )


ANY_VALUE = st.recursive(SINGLE_VALUES, containers_of, max_leaves=12)
"""Single values, and lists, mappings and pairs of them within each other."""

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
"""Each key may be missing. The last one means nothing to the product."""
