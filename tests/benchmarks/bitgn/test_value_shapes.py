"""What travels comes back as it was, and what does not fit the description is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.bitgn.remote_runtime import Field, ShapeError, from_wire, to_wire

FIELDS = (
    Field("path", "path"),
    Field("start_line", "startLine", 0),
    Field("truncated", "truncated", False),
    Field("args", "args", []),
    Field("is_dir", "kind", names={"FILE": False, "DIR": True}),
    Field("children", "children", [], rows=(Field("name", "name"),), is_nested=True),
)
nodes = st.recursive(
    st.builds(lambda name: {"name": name, "children": []}, st.text()),
    lambda below: st.builds(lambda name, children: {"name": name, "children": children}, st.text(), st.lists(below)),
    max_leaves=5,
)
values = st.fixed_dictionaries(
    {
        "path": st.text(),
        "start_line": st.integers(-(2**31), 2**31 - 1),
        "truncated": st.booleans(),
        "args": st.lists(st.text()),
        "is_dir": st.booleans(),
        "children": st.lists(nodes, max_size=3),
    }
)


@given(values)
def test_a_message_comes_back_as_it_was(original):
    assert from_wire(FIELDS, to_wire(FIELDS, original)) == original


@pytest.mark.parametrize(
    ("message", "named"),
    [
        ({"path": 7}, "path"),
        ({"startLine": "seven"}, "startLine"),
        ({"startLine": 7.5}, "startLine"),
        ({"startLine": True}, "startLine"),
        ({"truncated": 1}, "truncated"),
        ({"args": "one"}, "args"),
        ({"args": ["one", 2]}, "args"),
        ({"kind": "LINK"}, "kind"),
        ({"kind": 9}, "kind"),
        ({"kind": -1}, "kind"),
        ({"kind": True}, "kind"),
        ({"children": {}}, "children"),
        ({"children": [{"children": ["x"]}]}, "children: children"),
        (["path"], "is not a message"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_by_name(message, named):
    with pytest.raises(ShapeError, match=named):
        from_wire(FIELDS, message)


@pytest.mark.parametrize("sent", [7, "7", 7.0])
def test_a_whole_number_may_be_sent_as_text_or_with_a_point(sent):
    assert from_wire(FIELDS, {"startLine": sent})["start_line"] == 7
