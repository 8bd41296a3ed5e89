"""What a request to a model costs, how its replies are kept, and what errors and texts mean.

A cost comes from the user's or public prices, or is None. Repeated requests are answered from
files. JSON is shown compactly, and cut between lines. A server's wish to wait is followed within
bounds. Error codes say whose fault a failed call is, and settings say which rule judges calls.
"""

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import NamedTuple

import pytest

from controlplane.agent.events import (
    AnswerDone,
    AnswerSent,
    CallFailure,
    StepDone,
    TrialEvent,
)
from controlplane.agent.failure_codes import failure_of, may_yet_succeed
from controlplane.agent.model import (
    CachedModel,
    Message,
    ModelTool,
    PricedModel,
    Prices,
    Reply,
    ScriptedModel,
    ToolCall,
    Usage,
    public_price_source,
)
from controlplane.agent.opening.sections import compact_lines, compact_text_start
from controlplane.agent.retry import retry_after_s
from controlplane.agent.trial_gates import GateSettings, is_pre_call_rule_on
from controlplane.gates.verdicts import GatePolicy
from controlplane.sandbox.interface import bounds
from tests.support.journals import trial_records_of
from tests.support.single_trial import ModelWithReplies

# A reply with the cost that `PricedModel`, a wrapper of a model, has added.
#
#     priced_reply("gpt-4o").cost_usd == 0.003
#
# The request has 1000 tokens, 400 of them from the vendor's cache, and the reply has 100.

USAGE = Usage(prompt_tokens=1000, completion_tokens=100, cached_tokens=400)
"""Of the 1000 tokens of the request, 400 came from the provider's prompt cache."""


def priced_reply(
    model_name: str, *, base_url: str = "", prices: Prices | None = None
) -> Reply:
    """Return a reply that used `USAGE`, with the cost that `PricedModel` has added.

    Without `base_url`, the model is at OpenAI's address.
    """
    model = ModelWithReplies([Reply(text="", usage=USAGE)], model_name)
    priced_model = PricedModel(model, base_url=base_url, prices=prices)
    return priced_model.complete([])


# A request's messages: one that the user has written.


def user(text: str) -> list[Message]:
    """Return the messages of a request with one message, which the user has written."""
    return [Message(role="user", content=text)]


# A text that is not JSON keeps its lines when it is shown to a model, and is cut between them.
#
# `compact_lines(text, limit)` returns the lines that fit into so many characters as `text`, and how many
# characters of the file they cover (`source_chars`) and leave out (`hidden_chars`).


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[server]\nport = 80\n\n[log]\nlevel = info\n", id="INI"),
        pytest.param(
            "[Rules](/docs/rules.md)\n\nKeys are lent for a day.\n",
            id="Markdown link",
        ),
        pytest.param('{"id": 1}\n{"id": 2}\n', id="JSON Lines"),
    ],
)
def test_text_that_only_begins_like_json_keeps_its_lines(text: str) -> None:
    """A bracket or a brace at the beginning does not make a text JSON."""
    assert compact_lines(text, 1_000).text == text
    assert compact_text_start(text, 1_000).text == text


def test_a_line_that_does_not_fit_is_left_out() -> None:
    text = "first\nsecond\nthird\n"

    start = compact_lines(text, 9)

    assert start.text == "first\n"
    assert start.source_chars == len("first\n")
    assert start.hidden_chars == len("second\nthird\n")


def test_no_line_is_shown_if_the_first_one_is_too_long() -> None:
    start = compact_lines("first\nsecond\n", 5)

    assert start.text == ""
    assert start.source_chars == 0


# Indented JSON is shown to a model without its white space, so that more of it fits.
#
#     shown = compact_lines('{\n  "a": 1\n}', limit)
#     shown.text           # '{"a":1}', at most `limit` characters
#     shown.source_chars   # 12: the characters of the file that this text stands for
#
# White space within a string is a part of the data, and stays.

NO_LIMIT = 1_000
"""More characters than any of these texts has."""


def test_json_is_shown_without_indentation() -> None:
    value = {"a": 1, "b": ["x, y", "z: 1"]}
    text = json.dumps(value, indent=2) + "\n"

    shown = compact_lines(text, NO_LIMIT)

    assert shown.text == '{"a":1,"b":["x, y","z: 1"]}'
    assert shown.source_chars == len(text)


def test_json_is_cut_between_lines() -> None:
    """`{"a":1,` has 7 characters, and the next line, `"b":2`, would exceed the limit of 10."""
    text = '{\n  "a": 1,\n  "b": 2\n}'

    shown = compact_lines(text, 10)

    assert shown.text == '{"a":1,'
    assert shown.source_chars == len('{\n  "a": 1,\n')


def test_unicode_line_separator_in_a_string_is_not_a_line_break() -> None:
    """Python's `splitlines` would split the JSON at U+2028."""
    value = {"note": "first\u2028 second"}
    text = json.dumps(value, indent=2, ensure_ascii=False)

    shown = compact_lines(text, NO_LIMIT)

    assert json.loads(shown.text) == value


@pytest.mark.parametrize(
    "value",
    [
        pytest.param({": not a key": 1}, id="in a key"),
        pytest.param({"list": [": not a key", "a"]}, id="in an item of a list"),
        pytest.param({"": 2}, id="in the line of an empty key"),
        pytest.param(
            {": not a key": 1, "list": [": not a key", "a"], "": 2}, id="all of these"
        ),
    ],
)
def test_blank_inside_a_string_is_kept_if_the_string_looks_like_a_key(
    value: dict[str, object],
) -> None:
    """In `": not a key"`, the first three characters look like the end of a key: `": `."""
    text = json.dumps(value, indent=2)

    shown = compact_lines(text, NO_LIMIT)

    assert json.loads(shown.text) == value


# A reply of a model costs what the user has set, or what is public for the model.
#
# The request of `priced_reply` has 1000 tokens, 400 of them from the vendor's cache, and the reply 100.
# Prices are in dollars for a million tokens.


@pytest.mark.parametrize(
    ("prices", "expected_usd"),
    [
        pytest.param(
            Prices(input=2.0, output=10.0, cached=0.5),
            (600 * 2.0 + 400 * 0.5 + 100 * 10.0) / 1e6,
            id="own price for cached tokens",
        ),
        pytest.param(
            Prices(input=2.0, output=10.0),
            (1000 * 2.0 + 100 * 10.0) / 1e6,
            id="cached tokens cost the same",
        ),
        pytest.param(Prices(input=0, output=0), 0.0, id="free"),
    ],
)
def test_cost_follows_the_prices_that_the_user_has_set(
    prices: Prices, expected_usd: float
) -> None:
    reply = priced_reply("anything", prices=prices)

    assert reply.cost_usd == pytest.approx(expected_usd)
    assert reply.cost_source == "profile"


def test_cost_follows_the_public_prices_if_the_user_has_set_none() -> None:
    """The package `genai-prices` has the public prices of many models. Those of gpt-4o are 2.50,
    1.25 for cached tokens, and 10 for a reply."""
    reply = priced_reply("gpt-4o")

    assert reply.cost_usd == pytest.approx((600 * 2.5 + 400 * 1.25 + 100 * 10) / 1e6)
    assert reply.cost_source == "genai-prices"


@pytest.mark.parametrize("model_name", ["gpt-4o", "openai/gpt-4o"])
def test_cost_at_a_gateway_is_marked_as_the_list_price(model_name: str) -> None:
    """A gateway passes requests on to vendors, and may charge another price than they do."""
    gateway_url = "https://gateway.example.com/v1"

    reply = priced_reply(model_name, base_url=gateway_url)

    assert reply.cost_usd == pytest.approx((600 * 2.5 + 400 * 1.25 + 100 * 10) / 1e6)
    assert reply.cost_source == "list price"
    assert public_price_source(model_name, gateway_url) == "list price"


# A reply of a model without a known price has the cost None, and not 0.
#
# The cost 0 would say that the reply was free. Servers of the user's own have no public price, also if one
# calls its model gpt-4o. `priced_reply` returns a reply with its cost.


@pytest.mark.parametrize(
    ("model_name", "base_url"),
    [
        pytest.param("gpt-4o", "http://127.0.0.1:1234/v1", id="own machine"),
        pytest.param("gpt-4o", "http://localhost:1234/v1", id="own machine by name"),
        pytest.param("gpt-4o", "http://vllm.internal/v1", id="private network by name"),
        pytest.param("gpt-4o", "http://10.0.0.7/v1", id="private network"),
        pytest.param("no-such-model", "", id="unknown model"),
        pytest.param(
            "no-such-model",
            "https://gateway.example.com/v1",
            id="unknown model of a gateway",
        ),
        pytest.param("", "", id="no name"),
    ],
)
def test_unknown_cost_is_none_and_not_zero(model_name: str, base_url: str) -> None:
    """The user's own server may be called gpt-4o, too, but has no public price."""
    reply = priced_reply(model_name, base_url=base_url)

    assert reply.cost_usd is None
    assert reply.cost_source == ""
    assert public_price_source(model_name, base_url) == ""


# A model whose replies are kept in files, so that a repeated request costs nothing.
#
# `CachedModel` wraps a model. It sends a request only if the folder of the cache, here `tmp_path`, has no
# reply to the same request.


def test_the_first_reply_keeps_its_cost_and_notices(tmp_path: Path) -> None:
    """It is the model's own, and has to be paid."""
    reply = Reply(text="heron", cost_usd=0.5, notices=("the model is busy",))
    model = CachedModel(ModelWithReplies([reply]), tmp_path, settings={})

    first_reply = model.complete(user("Which word?"))

    assert not first_reply.cached
    assert first_reply.cost_usd == 0.5
    assert first_reply.notices == ("the model is busy",)


def test_a_repeated_request_is_answered_from_the_folder_at_no_cost(
    tmp_path: Path,
) -> None:
    """Two cached models with the same folder are like two processes, one after the other."""
    reply = Reply(
        text="heron",
        cost_usd=0.5,
        usage=Usage(prompt_tokens=9),
        reasoning="a bird, I think",
        notices=("the model is busy",),
    )
    endpoint = ModelWithReplies([reply, Reply(text="another one")])
    CachedModel(endpoint, tmp_path, settings={}).complete(user("Which word?"))

    repeated_reply = CachedModel(endpoint, tmp_path, settings={}).complete(
        user("Which word?")
    )

    assert repeated_reply.cached
    assert repeated_reply.text == "heron"
    assert repeated_reply.reasoning == "a bird, I think"
    assert repeated_reply.cost_usd == 0.0
    assert repeated_reply.usage == Usage()
    assert repeated_reply.notices == ()
    assert len(endpoint.requests) == 1


def test_a_text_that_utf_8_cannot_encode_is_kept(tmp_path: Path) -> None:
    """Models do send half a character, a lone surrogate."""
    endpoint = ModelWithReplies(["half a \ud800", "another one"])
    model = CachedModel(endpoint, tmp_path, settings={})

    first_reply = model.complete(user("Which \ud800?"))
    repeated_reply = model.complete(user("Which \ud800?"))

    assert first_reply.text == "half a \ud800"
    assert repeated_reply.text == "half a \ud800"
    assert len(endpoint.requests) == 1


def test_an_empty_reply_is_not_kept(tmp_path: Path) -> None:
    """The same request is sent again until a reply has text. That reply is kept."""
    endpoint = ModelWithReplies(["", "\n", "heron"])
    model = CachedModel(endpoint, tmp_path, settings={})

    texts = [model.complete(user("Which word?")).text for _ in range(4)]

    assert texts == ["", "\n", "heron", "heron"]


# The mistakes that a user's own model can make when it creates a `Reply`.
#
# A user may plug in a model by returning `Reply(text="...")`. A wrong call, such as
# `Reply("...")`, must say which fields a reply has, so that the user can correct it.


def test_misspelt_field_is_refused_with_a_list_of_all_fields() -> None:
    expected_message = r"Reply needs text, and has no txt. Its fields are .*text"

    with pytest.raises(TypeError, match=expected_message):
        Reply(txt="Done.")


def test_positional_value_is_refused_with_a_list_of_all_fields() -> None:
    expected_message = (
        r"Reply takes its values by name, and needs text. Its fields are .*text"
    )

    with pytest.raises(TypeError, match=expected_message):
        Reply("Done.")


# A request that differs in any part from those before is sent to the model, and not read from files.
#
# `CachedModel` keeps the replies of a model in a folder. A request with other messages, tools or settings
# might get another reply than the one that is kept. The model here says "heron" first, and then "finch".

LOOK_TOOL = ModelTool(name="look", description="", parameters={})


@pytest.mark.parametrize(
    "other_request",
    [
        pytest.param({"messages": user("Which bird?")}, id="other text"),
        pytest.param(
            {
                "messages": [
                    Message(
                        role="user",
                        content="Which word?",
                        tool_calls=[ToolCall(name="look", arguments="", id="a")],
                    )
                ]
            },
            id="with a tool call",
        ),
        pytest.param(
            {"messages": user("Which word?"), "role": "classify"}, id="other role"
        ),
        pytest.param({"messages": user("Which word?"), "schema": {}}, id="a schema"),
        pytest.param(
            {"messages": user("Which word?"), "tools": [LOOK_TOOL]}, id="a tool"
        ),
    ],
)
def test_a_request_that_differs_in_any_part_is_sent(
    other_request: dict, tmp_path: Path
) -> None:
    """It might get another reply than the one that is kept."""
    model = CachedModel(ModelWithReplies(["heron", "finch"]), tmp_path, settings={})
    model.complete(user("Which word?"))

    assert model.complete(**other_request).text == "finch"


def test_a_request_that_chooses_one_of_its_tools_is_sent(tmp_path: Path) -> None:
    model = CachedModel(ModelWithReplies(["heron", "finch"]), tmp_path, settings={})
    model.complete(user("Which word?"), tools=[LOOK_TOOL])

    reply = model.complete(user("Which word?"), tools=[LOOK_TOOL], tool_choice="look")

    assert reply.text == "finch"


def test_a_request_to_a_model_with_another_setting_is_sent(tmp_path: Path) -> None:
    endpoint = ModelWithReplies(["heron", "finch"])
    CachedModel(endpoint, tmp_path, {"temperature": 0.0}).complete(user("Which word?"))

    warmer_model = CachedModel(endpoint, tmp_path, {"temperature": 0.5})

    assert warmer_model.complete(user("Which word?")).text == "finch"


# A model that takes its replies from a TOML file, and refuses a file that it cannot use.
#
# The file has a table for each reply:
#
#     [[reply]]
#     when = "how many"    # only if the first message of the conversation has these words
#     code = "print(1)"


@pytest.mark.parametrize(
    ("file_text", "expected_error"),
    [
        pytest.param("not toml", "not a replies file", id="not TOML"),
        pytest.param("[[reply]]\ncolour = 1\n", "colour", id="unknown field"),
        pytest.param(
            '[[reply]]\nwhen = "("\n',
            "when: Value error, is not a regular expression of RE2",
            id="broken pattern",
        ),
        pytest.param("", "reply", id="no reply"),
    ],
)
def test_unusable_file_of_replies_is_refused_with_one_line(
    file_text: str, expected_error: str, tmp_path: Path
) -> None:
    path = tmp_path / "replies.toml"
    path.write_text(file_text, encoding="utf-8")

    with pytest.raises(ValueError, match=expected_error) as caught:
        ScriptedModel.from_file(path)

    assert "\n" not in str(caught.value)


# What the journal of a trial says about its answer: whether it solves the trial, and which step sent it.
#
# A process may be killed at any time. The next one goes on unless the trial `is_solved`: a step has sent
# an answer and is done, or an answer was sent *late*, after all steps. Whether the environment took the
# answer does not matter here: sending an answer again needs no solver.

SENT_IN_STEP_3 = AnswerSent(
    trial_id="t-1", step=3, message="17", outcome="OUTCOME_OK", refs=()
)
SENT_LATE = SENT_IN_STEP_3.model_copy(update={"late": True})
"""Sent after all steps. The number of the last step, 3, says nothing then."""

TAKEN = AnswerDone(trial_id="t-1", step=3)
TAKEN_BEFORE = AnswerDone(
    trial_id="t-1", step=3, error=CallFailure(code="already_exists", message="again")
)
NOT_TAKEN = AnswerDone(
    trial_id="t-1", step=3, error=CallFailure(code="unavailable", message="busy")
)
STEP_3_DONE = StepDone(trial_id="t-1", step=3, used_ms=7.0)


@pytest.mark.parametrize(
    ("events", "solved", "step"),
    [
        pytest.param([STEP_3_DONE], False, None, id="no answer"),
        # Step 3 sends the answer, and the process is killed before the step is done.
        pytest.param([SENT_IN_STEP_3], False, 3, id="killed while sending"),
        pytest.param([SENT_IN_STEP_3, TAKEN], False, 3, id="killed after sending"),
        # Step 3 sends the answer and is done.
        pytest.param([SENT_IN_STEP_3, TAKEN, STEP_3_DONE], True, 3, id="taken"),
        pytest.param([SENT_IN_STEP_3, NOT_TAKEN, STEP_3_DONE], True, 3, id="not taken"),
        # The next process sends it again, since the environment may have lost it.
        pytest.param(
            [SENT_IN_STEP_3, TAKEN, STEP_3_DONE, SENT_LATE],
            True,
            3,
            id="taken, and sent again",
        ),
        pytest.param(
            [SENT_IN_STEP_3, TAKEN_BEFORE, STEP_3_DONE, SENT_LATE],
            True,
            3,
            id="taken before, and sent again",
        ),
        # No step has sent the answer.
        pytest.param([STEP_3_DONE, SENT_LATE], True, None, id="only sent late"),
    ],
)
def test_the_record_says_if_a_trial_is_solved_and_which_step_sent_the_answer(
    events: list[TrialEvent], solved: bool, step: int | None
) -> None:
    record = trial_records_of(events)["t-1"]

    assert record.is_solved is solved
    assert record.step_of_answer == step


# What the error code of a failed call says: whether to repeat it, and whose fault it is.
#
# A call of a model or a platform that failed has a code, such as `unavailable`: the server is down,
# so a retry may help. After `invalid_argument`, it does not: the call itself is wrong.


class CodeMeaning(NamedTuple):
    """What the error code of a failed call means."""

    code: str
    transient: bool
    """A retry in the next minutes may succeed."""
    in_doubt: bool
    """The call may have had its effect although it failed."""
    fails_all: bool
    """The calls of all other trials are expected to fail, too."""
    is_outage: bool
    """The server serves nobody for now."""
    is_environment_fault: bool
    """The environment failed. Otherwise, the request was wrong."""
    succeeds_later: bool
    """The call may succeed in a resumed run, after a repair or with another key."""


YES, NO = True, False
CODE_MEANINGS = [
    #           code                   transient, in doubt, fails all, outage, environment, succeeds later
    CodeMeaning("unavailable",         YES,      NO,       YES,       YES,    YES,               YES),
    CodeMeaning("resource_exhausted",  YES,      NO,       YES,       YES,    YES,               YES),
    CodeMeaning("deadline_exceeded",   YES,      YES,      YES,       YES,    YES,               YES),
    CodeMeaning("aborted",             YES,      NO,       NO,        NO,     YES,               YES),
    CodeMeaning("internal",            YES,      YES,      NO,        NO,     YES,               YES),
    CodeMeaning("canceled",            YES,      YES,      NO,        NO,     YES,               YES),
    CodeMeaning("unknown",             NO,       YES,      NO,        NO,     YES,               YES),
    CodeMeaning("data_loss",           NO,       YES,      NO,        NO,     YES,               YES),
    CodeMeaning("unauthenticated",     NO,       NO,       YES,       NO,     NO,                YES),
    CodeMeaning("permission_denied",   NO,       NO,       YES,       NO,     NO,                NO),
    CodeMeaning("unimplemented",       NO,       NO,       YES,       NO,     NO,                NO),
    CodeMeaning("not_found",           NO,       NO,       NO,        NO,     NO,                NO),
    CodeMeaning("invalid_argument",    NO,       NO,       NO,        NO,     NO,                NO),
    CodeMeaning("failed_precondition", NO,       NO,       NO,        NO,     NO,                NO),
    CodeMeaning("already_exists",      NO,       NO,       NO,        NO,     NO,                NO),
    CodeMeaning("out_of_range",        NO,       NO,       NO,        NO,     NO,                NO),
    CodeMeaning("of another protocol", NO,       NO,       NO,        NO,     NO,                NO),
]  # fmt: skip


@pytest.mark.parametrize(
    "meaning", CODE_MEANINGS, ids=[meaning.code for meaning in CODE_MEANINGS]
)
def test_error_code_says_what_a_failed_call_means(meaning: CodeMeaning) -> None:
    """The retries of a call, and the end of its trial, follow from these facts."""
    failure = failure_of(meaning.code)

    assert failure.transient == meaning.transient
    assert failure.in_doubt == meaning.in_doubt
    assert failure.fails_all == meaning.fails_all
    assert failure.is_outage == meaning.is_outage
    assert failure.is_environment_fault == meaning.is_environment_fault
    assert may_yet_succeed(meaning.code) == meaning.succeeds_later


# A server may say until when to wait before a request is sent again, by its own clock.
#
# Its header `retry-after` has a date such as `Mon, 04 May 2026 12:00:00 GMT`, and its header `date` the
# server's time. `retry_after_s(headers)` returns the seconds between.


@pytest.mark.parametrize(
    ("server_time", "expected_s"),
    [
        pytest.param("Mon, 04 May 2026 12:00:00 GMT", 90, id="before the date"),
        pytest.param("Mon, 04 May 2026 12:00:30 GMT", 60, id="nearer to the date"),
        pytest.param("Mon, 04 May 2026 13:00:00 GMT", 0, id="after the date"),
    ],
)
def test_retry_date_counts_from_the_servers_own_clock(
    server_time: str, expected_s: int
) -> None:
    """The header `date` is the server's clock, which may differ from ours."""
    headers = {"retry-after": "Mon, 04 May 2026 12:01:30 GMT", "date": server_time}

    assert retry_after_s(headers) == expected_s


def test_retry_date_counts_from_our_clock_if_the_server_sends_no_time() -> None:
    retry_time = datetime.now(UTC) + timedelta(seconds=90)

    wait_s = retry_after_s({"retry-after": format_datetime(retry_time, usegmt=True)})

    # A slow machine may take some seconds between the two lines above.
    assert wait_s == pytest.approx(90, abs=20)


# A server may say how many seconds, or milliseconds, to wait before a request is sent again.
#
# The header `retry-after: 7` is 7 seconds, and `retry-after-ms: 1250` is 1.25. `retry_after_s(headers)`
# returns seconds, or None if the headers do not say how long. Nonsense is ignored.


@pytest.mark.parametrize(
    ("value", "expected_s"),
    [
        pytest.param("7", 7, id="whole seconds"),
        pytest.param("0.5", 0.5, id="fraction"),
        pytest.param("1e300", bounds.LONGEST_S, id="longer than a timer can count"),
        pytest.param(
            "Fri, 31 Dec 9999 23:59:59 GMT", bounds.LONGEST_S, id="distant date"
        ),
        pytest.param(
            "Fri, 31 Dec 99999999999999999999 23:59:59 GMT",
            None,
            id="impossible date",
        ),
        pytest.param("soon", None, id="word"),
        pytest.param("-5", None, id="negative"),
        pytest.param("inf", None, id="infinite"),
        pytest.param("nan", None, id="not a number"),
        pytest.param("", None, id="empty"),
    ],
)
def test_retry_after_is_bounded_and_nonsense_is_ignored(
    value: str, expected_s: float | None
) -> None:
    """A header of a foreign server must not stop a run forever, or with an exception."""
    assert retry_after_s({"retry-after": value}) == expected_s


@pytest.mark.parametrize(
    ("headers", "expected_s"),
    [
        pytest.param({"retry-after-ms": "1250"}, 1.25, id="milliseconds alone"),
        pytest.param(
            {"retry-after-ms": "1250", "retry-after": "60"}, 1.25, id="both headers"
        ),
        pytest.param(
            {"retry-after-ms": "soon", "retry-after": "60"},
            60,
            id="unreadable milliseconds",
        ),
    ],
)
def test_header_in_milliseconds_takes_precedence(
    headers: dict[str, str], expected_s: float
) -> None:
    """Some vendors send the header `retry-after-ms`, which is more exact."""
    assert retry_after_s(headers) == expected_s


# Whether a rule of the environment judges calls before they are sent, by the user's settings.
#
# The rule `support/before` judges calls if the run uses the rule set `support`, and the user has
# not switched the rule off.


@pytest.mark.parametrize(
    ("rule_name", "gates", "is_on"),
    [
        pytest.param(
            "support/before", GateSettings(rule_sets=("support",)), True, id="used"
        ),
        pytest.param(
            "support/before",
            GateSettings(GatePolicy({"support/before": "off"}), rule_sets=("support",)),
            False,
            id="switched off",
        ),
        pytest.param(
            "support/before", GateSettings(rule_sets=()), False, id="no rule set"
        ),
        pytest.param(
            "support/before",
            GateSettings(rule_sets=("files",)),
            False,
            id="another rule set",
        ),
        pytest.param("", GateSettings(rule_sets=("support",)), False, id="no rule"),
    ],
)
def test_a_rule_judges_calls_if_its_rule_set_is_used_and_it_is_not_switched_off(
    rule_name: str, gates: GateSettings, is_on: bool
) -> None:
    assert is_pre_call_rule_on(rule_name, gates) is is_on
