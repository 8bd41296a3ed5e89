"""The text of a record is that of the standard library's indented JSON, whatever the record holds."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.ecom.runtime.workspace import record_text
from sandbox.interface import Plain

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.text(), VALUES, max_size=6))
def test_a_record_is_written_as_indented_json(data: dict[str, Plain]) -> None:
    assert record_text(data) == json.dumps(data, indent=2, ensure_ascii=False) + "\n"
