"""JSON of others that is malformed, too complex or too long is refused, and costs the parent little.

`parse_json(b'{"a":', most_bytes=1_000)` raises "EOF …". Half of a surrogate pair, such as
`\\ud83d`, is half of a character in UTF-16. A text with one is read by a second parser, which must
keep the same bounds.
"""

import pytest

from controlplane.sandbox.interface import parse_json


@pytest.mark.parametrize(
    ("content", "error"),
    [
        pytest.param(b"[" * 100_000 + b"]" * 100_000, "nested too deeply", id="deep"),
        pytest.param(
            b'["\\ud83d",' + b"[" * 50_000 + b"]" * 50_001,
            "nested too deeply",
            id="deep, with half of a surrogate pair",
        ),
        pytest.param(
            b"[" + b"{}," * 100_000 + b"{}]", "too many values", id="many mappings"
        ),
        pytest.param(
            b"[" + b"1," * 1_000_001 + b"1]", "too many values", id="many numbers"
        ),
        pytest.param(b'{"a":', "EOF", id="cut off"),
        pytest.param(
            '["\\ud83d",]',
            "Expecting value",
            id="a comma too many, with an escaped half of a surrogate pair",
        ),
        pytest.param(
            '["\ud83d",]',
            "Expecting value",
            id="a comma too many, with half of a surrogate pair",
        ),
    ],
)
def test_json_that_is_malformed_or_too_complex_is_refused(
    content: str | bytes, error: str
) -> None:
    with pytest.raises(ValueError, match=error):
        parse_json(content, most_bytes=64 << 20)


def test_json_with_more_bytes_than_allowed_is_refused() -> None:
    """The text has 2,002 bytes, and 1,000 are allowed."""
    content = b'"' + b"a" * 2_000 + b'"'

    with pytest.raises(ValueError, match="longer than 1,000 bytes"):
        parse_json(content, most_bytes=1_000)
