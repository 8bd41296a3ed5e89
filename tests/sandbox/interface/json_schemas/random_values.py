"""Random JSON values, with few different keys, so that random schemas name the same keys."""

from hypothesis import strategies as st

KEYS = st.sampled_from(["a", "b", "x1"])
SMALL_SCALARS = [None, True, False, 0, 1, 1.0, 1.5, -3, "", "a", "ab"]
SMALL_VALUES = [*SMALL_SCALARS, [], [1], [1, "a"], {}, {"a": 1}, {"x1": ["a"]}]
"""Some values of each type, so that most random schemas accept one of them."""

SCALARS = st.sampled_from(SMALL_SCALARS)
VALUES = st.recursive(
    SCALARS,
    lambda values: (
        st.lists(values, max_size=3) | st.dictionaries(KEYS, values, max_size=3)
    ),
)
"""Random JSON values, such as `{"a": [1, "ab"]}`."""
