"""The objects of a text are found in any spelling, each up to its own end."""

import time

import pytest

from agent.reply.object_finder import objects_in


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"code": "x"}', "x"),
        ('Sure: {"code": "x"} and {"code": "y"}', "x"),
        ("{'code': 'x', 'done': True}", "x"),
        ("{'code': 'x', 'done': true}", "x"),
        ('{"done": True, "code": "x",}', "x"),
        ('{"code": "line\nline"}', "line\nline"),
        ('{"code": "a } brace { in a string"}', "a } brace { in a string"),
    ],
)
def test_an_object_is_read_in_any_spelling(text: str, code: str) -> None:
    found = next(objects_in(text))
    assert found.value is not None
    assert (found.value["code"], found.holds_code) == (code, True)


@pytest.mark.parametrize(
    ("text", "is_closed"),
    [
        ('{"code": "x', False),
        ('{"code": x y}', True),
        ('{"code": "x" y}', True),
        ('{"code": "x", "code": "y"}', True),
        ("{'code': 'x', 'code': 'y'}", True),
    ],
)
def test_an_object_that_cannot_be_read_or_has_its_code_twice_has_no_value(text: str, is_closed: bool) -> None:
    found = next(objects_in(text))
    assert (found.value, found.holds_code, found.end is not None) == (None, True, is_closed)


@pytest.mark.parametrize("text", ["", "no object", '{"plan": []}', '"code": "x"', '{"state": "the \\"code\\": 1"}'])
def test_a_text_without_code_has_no_object_with_code(text: str) -> None:
    assert not [each for each in objects_in(text) if each.holds_code]


@pytest.mark.parametrize("text", ["{" * 300_000, '{"a":' * 100_000, "{a:'" * 100_000, '{"code":' + "[" * 200_000])
def test_time_grows_with_the_length_alone(text: str) -> None:
    began = time.process_time()
    assert not [each for each in objects_in(text) if each.value is not None]
    assert time.process_time() - began < 2
