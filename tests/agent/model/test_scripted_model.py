import json
from pathlib import Path

import pytest

from agent.model import TASK, Message, ModelError, ScriptedModel


def conversation(instruction: str, turns: int) -> list[Message]:
    messages = [Message(role="system", content="s"), Message(role="user", content=instruction)]
    for _ in range(turns):
        messages += [Message(role="assistant", content="x"), Message(role="user", content="out")]
    return messages


def script(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "replies.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_replies_come_in_order_for_the_trials_they_fit(tmp_path: Path) -> None:
    model = ScriptedModel.from_file(
        script(
            tmp_path,
            """
            [[reply]]
            code = "print(1)"
            state = "first"
            [[reply]]
            when = "basket"
            text = "no JSON at all"
            [[reply]]
            code = "print(3)"
            """,
        )
    )
    first = json.loads(model.complete(conversation("count", 0), "solve").text)
    assert first == {"state": "first", "plan": [], "done": False, "code": "print(1)"}
    assert json.loads(model.complete(conversation("count", 1), "solve").text)["code"] == "print(3)"
    assert model.complete(conversation("the basket", 1), "solve").text == "no JSON at all"


@pytest.mark.parametrize(("system", "said"), [("s", "plain"), ("Count twice, s", "counted twice")])
def test_a_reply_may_depend_on_the_system_prompt(system: str, said: str, tmp_path: Path) -> None:
    text = "[[reply]]\nsystem = 'Count twice'\ntext = 'counted twice'\n[[reply]]\ntext = 'plain'\n"
    messages = [Message(role="system", content=system), *conversation("x", 0)[1:]]
    assert ScriptedModel.from_file(script(tmp_path, text)).complete(messages, "solve").text == said


def test_replies_of_other_tasks_are_left_out(tmp_path: Path) -> None:
    replies = {"one": "for one", "two": "for two", "": "for all"}
    text = "".join(f'[[reply]]\ntask = "{task}"\ntext = "{said}"\n' for task, said in replies.items())
    model = ScriptedModel.from_file(script(tmp_path, text))
    token = TASK.set("two")
    assert [model.complete(conversation("x", turn), "solve").text for turn in (0, 1)] == ["for two", "for all"]
    with pytest.raises(ModelError, match="ends before turn 3"):
        model.complete(conversation("x", 2), "solve")
    TASK.reset(token)


def test_a_script_that_has_ended_is_a_failure_of_this_trial_alone(tmp_path: Path) -> None:
    model = ScriptedModel.from_file(script(tmp_path, '[[reply]]\ncode = "1"\n'))
    with pytest.raises(ModelError, match="ends before turn 2") as caught:
        model.complete(conversation("x", 1), "solve")
    assert not caught.value.retryable
    assert not caught.value.affects_all


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("not toml", "not a script of replies"),
        ("[[reply]]\ncolour = 1\n", "colour"),
        ('[[reply]]\nwhen = "("\n', "when: Input should be a valid regular expression"),
        ("", "reply"),
    ],
)
def test_a_file_that_is_no_script_is_refused_with_one_line(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says) as caught:
        ScriptedModel.from_file(script(tmp_path, text))
    assert "\n" not in str(caught.value)
