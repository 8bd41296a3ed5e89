"""The first object with the key `code` is found in any spelling, and what follows it never counts."""

import time

import pytest

from agent.model.object_finder import Garbled, first_with_code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"code": "x"}', "x"),
        ('Sure: {"code": "x"} and {"code": "y"}', "x"),
        ("{'code': 'x', 'done': True}", "x"),
        ('{"done": True, "code": "x"}', "x"),
        ('{"code": "line\nline"}', "line\nline"),
        ('{"plan": ["a"]} {"code": "x"}', "x"),
        ('{"code": "a } brace { in a string"}', "a } brace { in a string"),
    ],
)
def test_an_object_is_read_in_any_spelling(text: str, code: str) -> None:
    found = first_with_code(text)
    assert isinstance(found, dict)
    assert found["code"] == code


@pytest.mark.parametrize("text", ['{"code": "x', '{"code": x y}', '{"code": "x" y} {"code": "z"}'])
def test_an_object_that_cannot_be_read_hides_what_follows(text: str) -> None:
    assert first_with_code(text) == Garbled()


@pytest.mark.parametrize(
    "text", ["", "no object", '{"plan": []}', "{}", '"code": "x"', '{"state": "the \\"code\\": 1"}']
)
def test_a_text_without_such_an_object_has_none(text: str) -> None:
    assert first_with_code(text) is None


@pytest.mark.parametrize("text", ["{" * 300_000, '{"a":' * 100_000, "{a:'" * 100_000, '{"code":' + "[" * 200_000])
def test_time_grows_with_the_length_alone(text: str) -> None:
    began = time.process_time()
    assert not isinstance(first_with_code(text), dict)
    assert time.process_time() - began < 2
