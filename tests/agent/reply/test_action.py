"""What an action's fields may look like, and what is no action."""

import pytest

from agent.reply import SCHEMA, Action


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("print(1)", "print(1)"),
        (["a = 1", "print(a)"], "a = 1\nprint(a)"),
        (["a = 1\n", "print(a)\n"], "a = 1\nprint(a)"),
        ("```python\nprint(1)\n```", "print(1)"),
        ("```\nprint(1)\n```\n", "print(1)"),
        ("a = 1\\nprint(a)", "a = 1\nprint(a)"),
        ('a = \\"x\\"\\nprint(a)', 'a = "x"\nprint(a)'),
        ('a = "x"\\nprint(a)', 'a = "x"\nprint(a)'),
        # A program as it stands is left as it stands, whatever its strings hold.
        ('print("a\\nb")', 'print("a\\nb")'),
        ('a = "```python\\n"\nprint(a)', 'a = "```python\\n"\nprint(a)'),
        # What is a program neither way is run as it was written: the syntax error tells.
        ("a = \\n = b", "a = \\n = b"),
    ],
)
def test_code_is_taken_for_what_it_means(written: object, code: str) -> None:
    assert Action.model_validate({"code": written}).code == code


@pytest.mark.parametrize("name", ["python_code", "script", "python"])
def test_code_may_have_another_name_and_the_asked_for_one_comes_first(name: str) -> None:
    assert Action.model_validate({name: "print(1)"}).code == "print(1)"
    assert Action.model_validate({name: "3.11", "code": "print(1)"}).code == "print(1)"


@pytest.mark.parametrize("state", [None, 7, ["a"], {"a": 1}])
def test_advisory_fields_cost_no_turn(state: object) -> None:
    action = Action.model_validate({"state": state, "plan": None, "done": None, "code": "1"})
    assert (action.plan, action.done) == ((), False)


def test_everything_but_code_is_bounded_so_that_no_model_writes_without_an_end() -> None:
    fields = SCHEMA["properties"]
    assert fields["state"].keys() == {"type", "maxLength"}
    assert fields["plan"].keys() == {"type", "maxItems", "items"}
    assert fields["plan"]["items"].keys() == {"type", "maxLength"}
    assert fields["code"] == {"type": "string"}
