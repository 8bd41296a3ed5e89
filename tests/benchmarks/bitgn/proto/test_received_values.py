"""The values of received messages: one of a wrong type is refused.

`from_wire(FIELDS, {"startLine": 7})` returns `{"start_line": 7, ...}`: our names, and values of the
right types. A message from the network may have any: `{"path": 7}`.
"""

import pytest

from controlplane.benchmarks.bitgn.wire_types import Field, NodeList, from_wire
from controlplane.benchmarks.bitgn.wire_values import (
    NamedValues,
    Scalar,
    ShapeError,
    TextList,
)

# The fields of a message: our name, the protocol's name, and the type if it is not text
FIELDS = (
    Field("path", "path"),
    Field("start_line", "startLine", Scalar(0)),
    Field("truncated", "truncated", Scalar(False)),
    Field("args", "args", TextList()),
    Field("is_dir", "kind", NamedValues({"FILE": False, "DIR": True})),
    Field("children", "children", NodeList((Field("name", "name"),))),
)


@pytest.mark.parametrize(
    ("message", "expected_error"),
    [
        pytest.param({"path": 7}, "path", id="number for text"),
        pytest.param({"startLine": "seven"}, "startLine", id="word for a number"),
        pytest.param({"startLine": 7.5}, "startLine", id="fraction"),
        pytest.param({"startLine": True}, "startLine", id="boolean for a number"),
        pytest.param({"truncated": 1}, "truncated", id="number for a boolean"),
        pytest.param({"args": "one"}, "args", id="text for a list"),
        pytest.param({"args": ["one", 2]}, "args", id="number in a list of texts"),
        pytest.param({"kind": "LINK"}, "kind", id="unknown name"),
        pytest.param({"kind": 9}, "kind", id="unknown number of a name"),
        pytest.param({"kind": -1}, "kind", id="negative number of a name"),
        pytest.param({"kind": True}, "kind", id="boolean for a name"),
        pytest.param({"children": {}}, "children", id="object for a list"),
        pytest.param(
            {"children": [{"children": ["x"]}]},
            "children: children",
            id="text for a node of a tree",
        ),
        pytest.param(["path"], "is not a message", id="list for a message"),
    ],
)
def test_value_of_a_wrong_type_is_refused_with_the_name_of_its_field(
    message: object, expected_error: str
) -> None:
    """The error names the field as the protocol does: `startLine` and not `start_line`."""
    with pytest.raises(ShapeError, match=expected_error):
        from_wire(FIELDS, message)


@pytest.mark.parametrize("value", [7, "7", 7.0])
def test_whole_number_may_be_sent_as_text_or_with_a_decimal_point(
    value: object,
) -> None:
    """The protocol allows all three, and sends 64-bit numbers as text."""
    result = from_wire(FIELDS, {"startLine": value})

    assert result["start_line"] == 7
