"""JSON from outside is parsed within one bound on bytes, values and depth, lone surrogates included."""

import pytest

from sandbox.interface import parse_json


@pytest.mark.parametrize(
    ("content", "value"),
    [
        (b'{"a":[1,2.5,null,true,"\\u00e9"]}', {"a": [1, 2.5, None, True, "é"]}),
        ('{"a": "\\ud83d"}', {"a": "\ud83d"}),
        (b'["\\ud83d"]', ["\ud83d"]),
        ('["\ud83d"]', ["\ud83d"]),
        ('"' + "[{," * 400_000 + '"', "[{," * 400_000),
        ("[" * 150 + "]" * 150, None),
    ],
)
def test_a_document_within_the_bounds_is_parsed(content: str | bytes, value: object) -> None:
    parsed = parse_json(content)
    assert value is None or parsed == value


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"[" * 100_000 + b"]" * 100_000, "nested too deeply"),
        (b'["\\ud83d",' + b"[" * 50_000 + b"]" * 50_001, "nested too deeply"),
        (b"[" + b"{}," * 100_000 + b"{}]", "too many values"),
        (b"[" + b"1," * 1_000_001 + b"1]", "too many values"),
        (b'"' + b"a" * 2_000 + b'"', "longer than 1,000 bytes"),
        (b'{"a":', "EOF"),
        ('["\\ud83d",]', "trailing comma"),
        ('["\ud83d",]', "trailing comma"),
    ],
)
def test_a_document_beyond_the_bounds_or_malformed_is_refused(content: str | bytes, fault: str) -> None:
    most = 1_000 if "longer" in fault else 64 << 20
    with pytest.raises(ValueError, match=fault):
        parse_json(content, most_bytes=most)
