"""A hostile script may send the parent a scratchpad that no sandbox made.

`flatten` makes plain JSON of encoded values, for users to see: `{"$": "date", "v": "2026-01-01"}`
becomes a text, and a set a list. It raises `Damaged` if a value is not as the sandbox makes it.
"""

import json

from hypothesis import given
from hypothesis import strategies as st

from controlplane.sandbox.interface.messages.tagged_values import Damaged, flatten

TAGS = st.sampled_from(
    ["date", "datetime", "set", "dict", "tuple", "decimal", "float", "time", "x"]
)


def almost_encoded(values):
    """Return random lists and mappings that look like encoded values: `{"$": "date", "v": [7]}`."""
    return (
        st.lists(values, max_size=3)
        | st.dictionaries(
            st.sampled_from(["$", "v", "zone", "fold", "a"]), values, max_size=4
        )
        | st.fixed_dictionaries({"$": TAGS, "v": values})
    )


FORGED_SCRATCHPADS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    almost_encoded,
    max_leaves=10,
)
"""Such as `{"$": "set", "v": [{"$": "date", "zone": 5}]}`."""


@given(FORGED_SCRATCHPADS)
def test_a_forged_scratchpad_becomes_json_or_is_reported_as_damaged(encoded):
    try:
        flat = flatten(encoded)
    except Damaged:
        return
    json.dumps(flat, allow_nan=False)
