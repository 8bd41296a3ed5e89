"""Random values that a script may keep in its scratchpad, such as `[{"a": date(2026, 1, 1)}, {2, 3}]`."""

from datetime import UTC, timedelta, timezone

from hypothesis import strategies as st

# Random values that a script may keep in its scratchpad: `SCRATCHPAD_VALUES`, made of the others.
TIME_ZONES = st.sampled_from([None, UTC, timezone(timedelta(hours=-3))])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | st.dates()
    | st.datetimes(timezones=TIME_ZONES)
    | st.times()
    | st.timedeltas()
    | st.decimals(allow_nan=False)
)
HASHABLE_VALUES = SCALARS | st.tuples(SCALARS, SCALARS)
SETS = st.sets(HASHABLE_VALUES, max_size=4) | st.frozensets(HASHABLE_VALUES, max_size=4)
# The key "$" marks an encoded value; a script may use it for its own values, too.
KEYS = st.text(max_size=4) | st.just("$") | st.integers()


def containers_of(values):
    """Return random lists, mappings and tuples that have these values in them."""
    return (
        st.lists(values, max_size=4)
        | st.dictionaries(KEYS, values, max_size=4)
        | st.tuples(values, values)
    )


SCRATCHPAD_VALUES = st.recursive(SCALARS | SETS, containers_of, max_leaves=12)
"""Such as `[{"a": date(2026, 1, 1)}, (1, {2, 3})]`."""
