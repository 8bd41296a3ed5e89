"""A reply that is broken, or made to keep the parser busy, is refused or read for certain.

`action_of` returns the action in a reply, or `Unusable` if it has none for certain. It never raises,
never guesses what a broken object might mean, and its work is bounded whatever the text.
"""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controlplane.agent.reply.action import Action
from controlplane.agent.reply.objects.object_text import read_object
from controlplane.agent.reply.reply import action_of
from controlplane.agent.reply.unusable_reply import Unusable
from tests.support.executed_work import executed_lines

MAX_PARSING_LINES = 2_000_000
"""How many lines of Python may be executed to parse some 100,000 characters. A parser that goes
back again and again would execute billions."""


class TestSlowReplies:
    """A reply that would keep a naive parser busy is refused with bounded work.

    `executed_lines` counts the lines of Python that are executed, which does not depend on how fast
    the machine is.
    """

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param("{" * 100_000, id="open braces"),
            pytest.param('"' * 100_000, id="double quotes"),
            pytest.param("'" * 100_000, id="single quotes"),
            pytest.param("{'" * 50_000, id="braces and single quotes"),
            pytest.param('{"' * 50_000, id="braces and double quotes"),
            pytest.param('{"""' + '\\"""' * 25_000, id="escaped triple quotes"),
            pytest.param("{'a':" * 20_000, id="deep objects"),
            pytest.param('{"a":[' * 20_000, id="deep objects and lists"),
            pytest.param("{'a':" + "[" * 100_000, id="deep lists"),
            pytest.param("{'a': " + "-" * 99_000 + "1}", id="many minus signs"),
            pytest.param("{" + " " * 100_000, id="blanks after a brace"),
            pytest.param("{a" + " " * 100_000, id="blanks after a bare key"),
            pytest.param(("{" + " " * 999) * 100, id="blanks after many braces"),
            pytest.param(
                "{'code'" + " " * 100_000, id="blanks after the key of the code"
            ),
            pytest.param("{'\\" * 33_000, id="open escapes"),
            pytest.param(
                "{'a': " * 49 + "[" + "1," * 45_000 + "*]" + "}" * 49,
                id="long list with an error at its end",
            ),
            pytest.param("{'a'} " * 16_000, id="many sets"),
            pytest.param("{'code" * 16_000, id="many open keys"),
            pytest.param("{'a': 'b{' " * 9_000, id="many broken objects"),
            pytest.param('{"a' + "\\" * 100_000, id="backslashes"),
            pytest.param('{"a": 1e' * 12_000, id="broken numbers"),
            pytest.param("<code>\n" * 60_000, id="many code tags"),
            pytest.param("<parameter" * 40_000, id="many open tags"),
            pytest.param("<function=execute_script>" * 15_000, id="many open calls"),
        ],
    )
    def test_hostile_reply_is_refused_with_bounded_work(self, text: str) -> None:
        """None of these texts has an action. Each of them would keep a naive parser busy."""
        assert isinstance(action_of(text), Unusable)

        assert executed_lines(lambda: action_of(text)) < MAX_PARSING_LINES


class TestBrokenObjects:
    """An object that cannot be parsed has no action, though it seems to have code.

    What a broken object might mean is not guessed: the guessed code would be run.
    """

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param(
                '{"state": s, "code": "print("hi")"}', id="quotes not escaped"
            ),
            pytest.param(
                '{"state": s, "code": "print(",", 1)"}',
                id="quotes and a comma in the code",
            ),
            pytest.param('{"state": s, "code": "print(1)" + "2"}', id="sum of strings"),
            pytest.param('{"state": s, "code": "print(1"}', id="incomplete program"),
            pytest.param('{"state": s, "code": \'print(1)\'}', id="mixed quotes"),
            pytest.param('{"state": s, "code": print(1)}', id="code without quotes"),
            pytest.param(
                '{"state": s, "code": "print(1)", "code": "print(2)"}', id="code twice"
            ),
            pytest.param('{"state": s, "code": "  "}', id="blank code"),
            pytest.param(
                '{"state": s, "code": "print(1)", more words}', id="prose in the object"
            ),
            pytest.param(
                '{"state": s, "inner": {"code": "print(1)", "b": 1}, oops}',
                id="code in an inner object",
            ),
            pytest.param(
                '{"state": ' + "[" * 60 + '"code": "print(1)"}', id="code in open lists"
            ),
        ],
    )
    def test_code_in_a_broken_object_is_not_guessed(self, text: str) -> None:
        """`"state": s` is neither JSON nor Python data, so the object cannot be parsed."""
        assert isinstance(action_of(text), Unusable)

    @pytest.mark.parametrize("sign", ["", "-"])
    def test_number_with_too_many_digits_to_be_written_is_not_read(
        self, sign: str
    ) -> None:
        """In hexadecimal, Python reads such a number. But no journal could record it."""
        assert read_object(f"{{'limit': {sign}0x{'f' * 4_000}}}") is None


def code_to_run(text: str, finish_reason: str) -> str | None:
    """Return the code that is run for a reply; None if nothing is run."""
    reading = action_of(text, finish_reason)
    if isinstance(reading, Action):
        return reading.code
    assert isinstance(reading, Unusable)
    return None


def corpus_of_replies() -> dict[str, list[dict]]:
    """Return the replies in `corpus/`, grouped by their quirk, such as "trailing comma".

    Each has its `text`, its `finish_reason`, and the `code` that the model meant: None if
    nothing may be run.
    """
    replies_by_quirk: dict[str, list[dict]] = {}
    for file_name in ("open.jsonl", "apart.jsonl"):
        path = Path(__file__).parent / "corpus" / file_name
        for line in path.read_text(encoding="ascii").splitlines():
            reply = json.loads(line)
            replies_by_quirk.setdefault(reply["quirk"], []).append(reply)
    return replies_by_quirk


CORPUS = corpus_of_replies()


class TestCollectedReplies:
    """Replies of real models run what the model meant, or nothing.

    A quirk is what is unusual about some replies, such as a trailing comma. A person wrote down
    what each of them meant.
    """

    @pytest.mark.parametrize("quirk", sorted(CORPUS))
    def test_collected_replies_run_what_the_model_meant_or_nothing(
        self, quirk: str
    ) -> None:
        for reply in CORPUS[quirk]:
            code = code_to_run(reply["text"], reply["finish_reason"])

            assert code == reply["code"], reply["text"]


PIECES = [
    '{"state": "s", ',
    '"code": "print(1)"',
    "'code': 'x'",
    "}",
    "{",
    "[",
    "]",
    ",",
    "```python\n",
    "```",
    "<think>",
    "</think>",
    '"',
    "'",
    "\\",
    '\\"',
    "\n",
    "True",
    "code:",
    "print(2)",
    '"plan": []',
    "//",
    "\ud800",
    "null",
    "\0",
]
"""Pieces of replies. Random sequences of them are mostly broken in some way."""

RANDOM_TEXTS = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


class TestRandomReplies:
    """Random sequences of pieces, mostly broken in some way, are read without an error.

    `code_to_run` returns the code that is run for a reply, or None if nothing is run.
    """

    @settings(suppress_health_check=[HealthCheck.too_slow])
    @given(
        text=RANDOM_TEXTS,
        finish_reason=st.sampled_from(["stop", "content_filter", "", "weird"]),
    )
    def test_random_text_never_raises(self, text: str, finish_reason: str) -> None:
        code_to_run(text, finish_reason)

    @settings(suppress_health_check=[HealthCheck.too_slow])
    @given(text=RANDOM_TEXTS)
    def test_reply_that_was_cut_at_the_length_limit_is_never_run(
        self, text: str
    ) -> None:
        """The missing part might change what the code does, even if the rest is valid."""
        assert code_to_run(text, finish_reason="length") is None
