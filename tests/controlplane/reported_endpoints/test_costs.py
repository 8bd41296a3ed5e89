"""A run copes with the replies and faults of endpoints that users of public projects have reported.

Right replies in unusual forms are read. Costs and tokens are counted wherever they stand. A refused
parameter is left out, a refusal that may pass is repeated, and a fault of all trials pauses the
run. If a reply cannot be read, or not all of it, the next request tells the model why.
"""

import json
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from controlplane.errors import BudgetExhausted, Unreachable, UsageError
from tests.support.command import CommandResult, run_in_process
from tests.support.phonebook_model import ByteServer, http_response
from tests.support.product_files import ROOT

# Runs of one trial against an endpoint that gives replies of a case.
#
#     run_against(RecordedCase.read("d04-retry-date"), folder).trial["score"]  # 1.0
#
# The trial asks for the meaning of "heron", a word in the example benchmark of the documentation.

# Recorded replies of an endpoint, with the right reply to our trial in place of a placeholder.
#
# A reply was recorded in somebody else's project, where the model worked on another task. So the file
# of a case has a placeholder for what a model says to solve our trial:
#
#     filled({"content": "@GOOD"})    ->    {"content": '{"state": "answer", ..., "code": "..."}'}
#     filled({"@ARGS": True})         ->    {"state": "answer", ..., "code": "..."}

RIGHT_SCRIPT = """scratchpad["meaning"] = harness.define("heron").meaning
scratchpad["answer"] = scratchpad["meaning"]
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == sp["meaning"])
"""
"""A script with which a model solves the trial: it asks what a heron is, and answers."""

RIGHT_ACTION = {"state": "answer", "plan": [], "done": True, "code": RIGHT_SCRIPT}
"""The reply of a model that solves the trial."""

RIGHT_REPLY = json.dumps(RIGHT_ACTION)
"""The same reply as a text, which `@GOOD` stands for."""


def filled(value: Any) -> Any:
    """Return a value of a recorded reply with its placeholders filled.

    An object with the key `@ARGS` stands for the right reply as an object. The value of the key
    means nothing.
    """
    if isinstance(value, str):
        return value.replace("@GOOD", RIGHT_REPLY)
    if isinstance(value, list):
        return [filled(item) for item in value]
    if isinstance(value, dict):
        if "@ARGS" in value:
            return RIGHT_ACTION
        return {key: filled(item) for key, item in value.items()}
    return value


# The run of one trial against an endpoint that replies as in a recorded case.
#
#     @plays("c30-empty-cost-limit")
#     def test_a_limit_of_costs_counts_empty_replies(played: PlayedCase) -> None:
#         assert len(played.requests) == 1
#
# The fixture `played` (in conftest.py) plays the case.


@dataclass
class PlayedCase:
    """The run of one trial in which a case was played."""

    situation: str
    """What happens, in words. This and `right` are only printed if the test fails."""
    right: str
    """What the product should do, in words: `run paused, exit 3, 'key is refused'`."""
    result: CommandResult
    requests: list[dict[str, Any]]
    """The bodies of the requests to the model, in order."""
    events: list[dict[str, Any]]
    """The lines of the run's journal."""

    @property
    def trial(self) -> dict[str, Any]:
        """The trial as the run printed it: `{"state": "answered", "score": 1.0, ...}`."""
        return self.result.json["trials"][0]

    @property
    def printed(self) -> str:
        """All that the user is told, on standard output and standard error."""
        return self.result.out + self.result.err

    @property
    def notices(self) -> str:
        """What the journal tells the user about the endpoint, one notice a line."""
        texts = [event["text"] for event in self.events if event["type"] == "notice"]
        return "\n".join(texts)

    @property
    def summary(self) -> str:
        """The case and its result, for messages of failed tests."""
        return (
            f"{self.situation}: right is {self.right!r}; exit {self.result.code}, "
            f"{len(self.requests)} requests: {self.printed[-1500:]} {self.notices}"
        )


def plays(*case_names: str) -> pytest.MarkDecorator:
    """Mark a test that gets each of these cases as its argument `played`, one after the other."""
    return pytest.mark.parametrize("played", case_names, indirect=True)


def plays_each(table: Mapping[str, object], column: str) -> pytest.MarkDecorator:
    """Mark a test that plays each case of a table, and gets the case's value as `column`.

    `@plays_each({"a22-br": ["br"]}, "words")`: the test has the arguments `played` and `words`.
    """
    return pytest.mark.parametrize(
        ("played", column), table.items(), indirect=["played"]
    )


# A case: replies of a model's endpoint that users of public projects have reported, in a JSON file.
#
# In the file `d04-retry-date.json`, an error comes first, and then a right reply:
#
#     {"situation": "429 with a date in the past as Retry-After", "right": "retried, answered",
#      "replies": [{"status": 429, "headers": {"Retry-After": "..."}, "body": {"error": {}}}],
#      "then_good": true}

CASES = ROOT.parent / "shared/endpoints/cases"
"""The folder of the cases. It is not part of the repository."""

NO_LIST_OF_MODELS = {"status": 404, "body": {"error": {"message": "Not Found"}}}
"""The reply to `GET /v1/models` of a server that has no list of its models."""


@dataclass(frozen=True)
class RecordedCase:
    """The replies of an endpoint, and how a run comes to ask it."""

    replies: list[dict[str, Any]]
    """The replies to requests to the model, in order."""
    right_reply_follows: bool = False
    """Whether a right reply follows. If not, the last reply is repeated."""
    options: list[str] = field(default_factory=list)
    """Options of the run, such as `--reply-mode tool`."""
    reply_with_models: dict[str, Any] = field(default_factory=lambda: NO_LIST_OF_MODELS)
    """The reply to the request for the list of models."""
    variables: dict[str, str] = field(default_factory=dict)
    """Environment variables of the run; `@BASE` in one stands for the endpoint's address."""
    path: str = "/v1"
    """The path in the address of the endpoint."""
    needs_ipv6: bool = False
    situation: str = ""
    """What happens, in words."""
    right: str = ""
    """What the product should do, in words: `run paused, exit 3, 'key is refused'`."""

    @classmethod
    def read(cls, name: str) -> "RecordedCase":
        """Read the case with this name, such as `d04-retry-date`."""
        fields = json.loads((CASES / f"{name}.json").read_text("utf-8"))
        return cls(
            situation=fields["situation"],
            right=fields["right"],
            replies=filled(fields["replies"]),
            right_reply_follows=fields.get("then_good", False),
            reply_with_models=fields.get("models") or NO_LIST_OF_MODELS,
            options=fields.get("args", []),
            variables=fields.get("env", {}),
            path=fields.get("path", "/v1"),
            needs_ipv6=fields.get("ipv6", False),
        )

    def reply(self, index: int) -> Mapping[str, Any]:
        """Return the reply to the request of this index, counted from 0."""
        if index < len(self.replies):
            return self.replies[index]
        if self.right_reply_follows:
            return {"content": RIGHT_REPLY}
        return self.replies[-1]


# The bodies of recorded replies, in the forms of two protocols: Chat Completions and Responses.
#
#     body_of({"content": "Hello."}, request_body={"messages": [...]})
#     # b'{"object": "chat.completion", "choices": [{"message": {"content": "Hello.", ...}}], ...}'
#
# A case records only what is unusual of a reply. All else is as endpoints usually send it.

USAGE = {"prompt_tokens": 1500, "completion_tokens": 120, "total_tokens": 1620}
"""The tokens that a reply has used if the case does not say otherwise."""


def body_of(reply: Mapping[str, Any], request_body: Mapping[str, Any]) -> bytes:
    """Return the body of a reply, which is recorded in one of these forms:

    {"raw": "<html>..."}        the text as it is
    {"body": {"error": ...}}    the whole JSON document
    {"message": {...}}          a message with unusual fields, in a chat completion
    {"content": "..."}          what the model says

    The last two may have further keys for the document around the message, such as "usage".
    """
    if "raw" in reply:
        return reply["raw"].encode("utf-8", "surrogatepass")
    if "body" in reply:
        return json.dumps(reply["body"]).encode()
    if "message" in reply:
        return chat_completion(reply, reply["message"])
    # A request has the conversation as "input" in one protocol, and as "messages" in the other.
    is_for_the_responses_api = "input" in request_body
    if is_for_the_responses_api:
        return response_document(reply)
    message = {"role": "assistant", "content": reply.get("content")}
    return chat_completion(reply, message)


def chat_completion(reply: Mapping[str, Any], message: Mapping[str, Any]) -> bytes:
    """Return a message of the model in the form of the Chat Completions API.

    Of the reply, "finish" and "usage" take the place of the usual values, and "choice" and "top"
    have further fields of the choice and of the whole document.
    """
    choice = {
        "index": 0,
        "message": message,
        "finish_reason": reply.get("finish", "stop"),
    }
    document = {
        "id": "c1",
        "object": "chat.completion",
        "choices": [choice | reply.get("choice", {})],
        "usage": reply.get("usage", USAGE),
    }
    return json.dumps(document | reply.get("top", {})).encode()


def response_document(reply: Mapping[str, Any]) -> bytes:
    """Return what the model says in the form of the Responses API."""
    part = {"type": "output_text", "text": reply["content"]}
    message = {"type": "message", "role": "assistant", "content": [part]}
    document = {
        "object": "response",
        "status": "completed",
        "output": [message],
        "usage": reply.get("usage", USAGE),
    }
    return json.dumps(document).encode()


# A server that stands in for a model's endpoint, and gives the replies of a recorded case.
#
# with RecordedEndpoint(RecordedCase.read("d04-retry-date")) as endpoint:
#     ...                      # a run asks the model at endpoint.url
# endpoint.model_requests[0]   # {"model": "m", "messages": [...]}, the body of its first request


class RecordedEndpoint(ByteServer):
    """A server on this machine that gives the replies of a case, for a `with` block."""

    def __init__(self, case: RecordedCase) -> None:
        host = "::1" if case.needs_ipv6 else "127.0.0.1"
        super().__init__(self._respond, host)
        self.case = case
        self.model_requests: list[dict[str, Any]] = []
        """The bodies of all requests to the model so far."""

    def _respond(self, connection: socket.socket, request: bytes) -> None:
        """Answer a request to the model, or the request `GET /v1/models`."""
        request_body: dict[str, Any] = {}
        if request.startswith(b"GET"):
            reply = self.case.reply_with_models
        else:
            request_body = json.loads(request.partition(b"\r\n\r\n")[2])
            reply = self.case.reply(len(self.model_requests))
            self.model_requests.append(request_body)

        self.ended.wait(reply.get("hang", 0))
        status = reply.get("status", 200)
        headers = {"Content-Type": "application/json", **reply.get("headers", {})}
        body = body_of(reply, request_body)
        connection.sendall(http_response(status, body, headers))


USUAL_PATIENCE_S = 6
"""How long a run sends a request again and again, in seconds. Most end earlier for another reason."""


def run_against(
    case: RecordedCase, folder: Path, patience_s: float = USUAL_PATIENCE_S
) -> PlayedCase:
    """Run the trial against an endpoint that gives the replies of a case. Its journal is in `folder`."""
    with RecordedEndpoint(case) as endpoint:
        base_url = f"{endpoint.url}{case.path}"
        variables = {
            "OPENAI_BASE_URL": base_url,
            "OPENAI_API_KEY": "sk-fake-000000",
            "MODEL_ID": "m",
        }
        for name, value in case.variables.items():
            variables[name] = value.replace("@BASE", base_url)
        result = run_in_process(
            "run",
            "heron",
            "--benchmark",
            "docs.examples.wordbook",
            "--json",
            "--model-patience",
            str(patience_s),
            "--trial-time",
            "60",
            "--runs-dir",
            folder,
            *case.options,
            cwd=ROOT,
            **variables,
        )

    return PlayedCase(
        case.situation,
        case.right,
        result,
        requests=endpoint.model_requests,
        events=journal_events(folder),
    )


def journal_events(folder: Path) -> list[dict[str, Any]]:
    """Return the lines of the journal in a folder; empty if the run was refused."""
    events: list[dict[str, Any]] = []
    for journal in folder.glob("*.jsonl"):
        for line in journal.read_text("utf-8", "replace").splitlines():
            events.append(json.loads(line))
    return events


@pytest.fixture
def patience_s() -> float:
    """The patience of the run with its endpoint. A test with another one has a parameter so named."""
    return USUAL_PATIENCE_S


@pytest.fixture
def played(
    request: pytest.FixtureRequest,
    patience_s: float,
    short_backoff: None,
    tmp_path: Path,
) -> PlayedCase:
    """Play the case that the test names: `@plays("d04-retry-date")`."""
    if not CASES.exists():
        pytest.skip("the reported situations are not beside this checkout")
    case = RecordedCase.read(request.param)
    if case.needs_ipv6 and not socket.has_ipv6:
        pytest.skip("this machine has no IPv6")
    return run_against(case, tmp_path, patience_s)


# How a played case may end: the trial is solved, the run pauses, or only the trial ends.
#
#     check_solved(played, max_requests=2)                          # exit 0, score 1.0
#     check_paused(played, "the key is refused")                    # exit 3, nothing scored, resumable
#     check_trial_ended(played, "longer than the model's context")  # exit 0, no answer of the model
#
# `played` is the run of one trial against an endpoint that replied as in a recorded case.


def check_solved(played: PlayedCase, *, max_requests: int) -> None:
    """Assert that the reply was read, and the trial solved."""
    assert played.result.code == 0, played.summary
    assert played.trial["score"] == 1.0, played.summary
    assert played.trial["steps"] >= 1, played.summary
    assert len(played.requests) <= max_requests, played.summary


def check_paused(played: PlayedCase, *words: str, max_requests: int = 10) -> None:
    """Assert that the run paused: nothing is scored, and the user is told all of `words`.

    `controlplane resume` continues such a run, once the endpoint or its settings are right.
    """
    assert played.result.code == Unreachable.exit_code, played.summary
    assert played.trial["state"] == "open", played.summary
    assert played.trial["score"] is None, played.summary
    for word in words:
        assert word in played.printed, played.summary
    assert len(played.requests) <= max_requests, played.summary


def check_trial_ended(played: PlayedCase, *words: str, max_requests: int = 1) -> None:
    """Assert that only this trial ended, without an answer, for a reason with all of `words`.

    The run goes on. In place of the model's answer, it submits a *fallback* of its own.
    """
    assert played.result.code == 0, played.summary
    assert played.trial["state"] == "fallback", played.summary
    for word in words:
        assert word in played.trial["reason"], played.summary
    assert len(played.requests) <= max_requests, played.summary


def check_model_told(played: PlayedCase, part_of_message: str) -> None:
    """Assert that the second request tells the model what was wrong with its reply."""
    second_request = json.dumps(played.requests[1])
    assert part_of_message in second_request, played.summary
    check_no_prose_submitted(played)


def check_no_prose_submitted(played: PlayedCase) -> None:
    """Assert that nothing of a reply was submitted that is not an answer.

    The trial has the right answer, or the run's own fallback.
    """
    if played.trial["state"] != "fallback":
        assert played.trial["score"] == 1.0, played.summary


# A run of one trial that the model's first reply solves, whose reply has a given `usage`.
#
# For example:
#
#     run_with_usage(folder, {"prompt_tokens": 1500, "completion_tokens": 120}).trial["tokens"]    ->    1620


def run_with_usage(folder: Path, usage: dict[str, Any], *options: str) -> PlayedCase:
    """Run a trial that the model's first reply solves, and return the run. The reply has this usage."""
    reply = {"content": RIGHT_REPLY, "usage": usage}
    return run_against(RecordedCase([reply], options=[*options]), folder)


# More cached tokens than prompt tokens make no negative cost.
#
# One endpoint counts only what is not cached as `prompt_tokens`. Prices are USD for a million tokens.


def test_more_cached_tokens_than_prompt_tokens_make_no_negative_cost(
    tmp_path: Path,
) -> None:
    """This endpoint counts only what is not cached as `prompt_tokens`."""
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 100,
        "total_tokens": 200,
        "prompt_tokens_details": {"cached_tokens": 2000},
    }

    run = run_with_usage(
        tmp_path, usage, "--prices", '{"input": 10, "output": 10, "cached": 1}'
    )

    assert run.result.code == 0
    assert run.trial["score"] == 1.0
    assert len(run.requests) == 1
    assert run.result.json["cached_share"] == pytest.approx(2000 / 2100, abs=0.001)
    # (100 * 10 + 2000 * 1 + 100 * 10) / 1,000,000
    assert run.trial["cost_usd"] == pytest.approx(0.004)


# A reply that says nothing is paid, too.
#
#     {"content": "", "usage": {"prompt_tokens": 1500, "completion_tokens": 120}}
#
# The model is asked again, and the tokens of all replies are added up. Prices are USD for a million tokens.


def test_empty_replies_are_added_to_the_costs(tmp_path: Path) -> None:
    """The model's fourth reply solves the trial."""
    usage = {"prompt_tokens": 1500, "completion_tokens": 120}
    empty = {"content": "", "usage": usage}
    right = {"content": RIGHT_REPLY, "usage": usage}
    case = RecordedCase(
        [empty, empty, empty, right],
        options=[
            "--prices",
            '{"input": 1, "output": 10}',
            "--model-patience",
            "60",  # seconds in which the model is asked again
        ],
    )

    run = run_against(case, tmp_path)

    assert run.result.code == 0
    assert run.trial["score"] == 1.0
    assert len(run.requests) == 4
    assert run.trial["tokens"] == 6480  # 4 * (1500 + 120)
    # 4 * (1500 * 1 + 120 * 10) / 1,000,000
    assert run.trial["cost_usd"] == pytest.approx(0.0108)


def test_a_limit_of_costs_counts_empty_replies(tmp_path: Path) -> None:
    """The first reply costs 2.15 USD, and the trial may cost 1 USD."""
    empty = {
        "content": "",
        "usage": {"prompt_tokens": 200_000, "completion_tokens": 5_000},
    }
    case = RecordedCase(
        [empty],
        options=["--prices", '{"input": 10, "output": 30}', "--trial-cost", "1"],
    )

    run = run_against(case, tmp_path)

    assert run.result.code == BudgetExhausted.exit_code, run.summary
    assert len(run.requests) == 1
    # (200,000 * 10 + 5,000 * 30) / 1,000,000
    assert run.trial["cost_usd"] == pytest.approx(2.15)


# A reply that is free at a gateway is counted at the user's prices, else at its provider's cost.
#
# A gateway passes requests on to the provider of a model. The gateway is free for users with a key of their
# own at the provider ("byok"). The provider takes money, and the reply names how much.

# The script does not answer yet, so the model has to be asked again.
UNFINISHED_REPLY_FREE_AT_GATEWAY = {
    "content": json.dumps(
        {"state": "x", "plan": [], "done": False, "code": "print(1)"}
    ),
    "usage": {
        "prompt_tokens": 100_000,
        "completion_tokens": 1_000,
        "cost": 0,  # USD to the gateway
        "is_byok": True,
        "cost_details": {"upstream_inference_cost": 5.0},  # USD to the provider
    },
}


def costs_of_replies(run: PlayedCase) -> list[float]:
    """Return the cost of each reply in USD, as the run counted them: `[5.0, 5.0]`."""
    costs_usd = []
    for event in run.events:
        if event["type"] == "model_replied":
            costs_usd.append(event["cost_usd"])
    return costs_usd


def test_a_limit_of_costs_counts_replies_that_the_gateway_gives_free(
    tmp_path: Path,
) -> None:
    """The user's prices are 10 USD for a million tokens. The trial may cost 1 USD."""
    prices = '{"input": 10, "output": 10}'
    case = RecordedCase(
        replies=[UNFINISHED_REPLY_FREE_AT_GATEWAY],
        options=["--prices", prices, "--trial-cost", "1"],
    )

    run = run_against(case, tmp_path)

    assert run.result.code == BudgetExhausted.exit_code, run.summary
    assert len(run.requests) == 1
    assert costs_of_replies(run) == [pytest.approx(1.01)]  # 101,000 tokens


def test_a_providers_cost_behind_a_gateway_is_counted(tmp_path: Path) -> None:
    """The user gave no prices. A third reply, which answers the task, ends the trial."""
    case = RecordedCase(
        replies=[UNFINISHED_REPLY_FREE_AT_GATEWAY, UNFINISHED_REPLY_FREE_AT_GATEWAY],
        right_reply_follows=True,
    )

    run = run_against(case, tmp_path)

    first_cost, second_cost, *_ = costs_of_replies(run)
    assert first_cost == 5.0
    assert second_cost == 5.0


# Tokens that endpoints report under other names, or only in the total, are counted.
#
# A reply has a `usage`, which the run adds up: `{"prompt_tokens": 1500, "completion_tokens": 120}`. Prices
# are USD for a million tokens. Users of other projects have reported each of these replies.


def test_tokens_that_are_only_in_the_total_are_counted(tmp_path: Path) -> None:
    """1009 + 164 are only 1173 of 2994. The other 1821 are thinking, which is paid like the
    reply's text."""
    usage = {
        "prompt_tokens": 1009,
        "completion_tokens": 164,
        "total_tokens": 2994,
        "completion_tokens_details": {"reasoning_tokens": 0},
    }

    run = run_with_usage(tmp_path, usage, "--prices", '{"input": 1, "output": 10}')

    assert run.result.code == 0
    assert run.trial["score"] == 1.0
    assert len(run.requests) == 1
    assert run.trial["tokens"] == 2994
    # (1009 * 1 + (164 + 1821) * 10) / 1,000,000
    assert run.trial["cost_usd"] == pytest.approx(0.020859)


def test_cached_tokens_are_counted_under_anthropics_name(tmp_path: Path) -> None:
    """The tokens of the cache are among the 1500 of the prompt, as the total shows."""
    usage = {
        "prompt_tokens": 1500,
        "completion_tokens": 164,
        "total_tokens": 1664,
        "cache_read_input_tokens": 1000,
        "cache_creation_input_tokens": 100,
    }

    run = run_with_usage(
        tmp_path, usage, "--prices", '{"input": 10, "output": 10, "cached": 1}'
    )

    assert run.result.code == 0
    assert run.trial["score"] == 1.0
    assert len(run.requests) == 1
    assert run.result.json["cached_share"] == pytest.approx(1000 / 1500, abs=0.001)


# A run pauses if every trial would meet the same fault, such as a wrong key.
#
# The user is told what to correct, and no trial counts as failed. `controlplane resume` continues a paused
# run. A case such as `b72-html-page` is a file with an endpoint's replies; a comment says what is odd.

PAUSED_AFTER_RETRIES = {
    # Gemini answers a wrong key with 400 instead of 401.
    "a04-gemini-400-key": ["the key is refused"],
    # LM Studio answers 200 to a wrong path.
    "a09-lmstudio-200-wrong-path": ["OPENAI_BASE_URL", "/v1"],
    # An HTML page with the status 200.
    "b72-html-page": ["OPENAI_BASE_URL"],
    # 403: the provider does not serve this country.
    "c32-403-region": ["region"],
    # 401 from a proxy, as HTML.
    "d20-401-transient-proxy": ["401"],
    # The model's chat template takes no system prompt.
    "d34-system-role": ["System role not supported"],
    # The model's chat template wants user and assistant to take turns.
    "d35-alternate-roles": ["roles must alternate"],
    # The endpoint requires `max_tokens`.
    "f11-max-tokens-required": ["--max-output-tokens"],
}
"""By case, parts of what the user is told."""


@plays_each(PAUSED_AFTER_RETRIES, "words")
def test_a_run_pauses_if_every_trial_would_fail(
    played: PlayedCase, words: list[str]
) -> None:
    """The user has to correct the key, the address or the model. No trial may count as failed."""
    check_paused(played, *words)


PAUSED_AFTER_PATIENCE = {
    # The gateway compresses with Brotli, which was not asked for.
    "a22-br": ["br"],
    # HTTP_PROXY names a proxy that does not run.
    "a34-proxy-localhost": ["proxy"],
}
"""By case, parts of what the user is told."""


@pytest.mark.parametrize("patience_s", [0.2])
@plays_each(PAUSED_AFTER_PATIENCE, "words")
def test_a_run_pauses_if_its_patience_with_the_endpoint_is_over(
    played: PlayedCase, words: list[str]
) -> None:
    """The request is sent again until then, because such a fault may pass."""
    check_paused(played, *words, "given up at try")


PAUSED_AT_ONCE = {
    "a06-openai-billing-hard-limit": ["no credit is left", "Billing hard limit"],
    "a40-429-insufficient": ["no credit is left"],
}
"""By case, parts of what the user is told."""


@plays_each(PAUSED_AT_ONCE, "words")
def test_a_run_pauses_at_once_if_no_credit_is_left(
    played: PlayedCase, words: list[str]
) -> None:
    """More requests than one cannot help if no money is left."""
    check_paused(played, *words, max_requests=1)


# A run pauses if its model's server streams although it was not asked to, or never answers.
#
# `played` is the run of one trial against such a server. A case such as `d02-hang-forever` is a file that
# says how the server behaves.


@plays("a17-sse-only")
def test_a_server_that_always_streams_is_named_as_the_fault(played: PlayedCase) -> None:
    """The address is right, so the message must not ask whether it is."""
    check_paused(played, "stream")
    assert "is OPENAI_BASE_URL" not in played.printed


@pytest.mark.parametrize("patience_s", [4])
@plays("d02-hang-forever")
def test_a_server_that_never_answers_is_given_up(played: PlayedCase) -> None:
    """A request may take 2 s. The run sends it twice, and pauses because its patience with the
    model (4 s) is over. On a very busy machine the trial, which has 8 s, may end first."""
    assert len(played.requests) > 1, played.summary
    assert played.result.code in (0, Unreachable.exit_code), played.summary
    assert "did not answer" in played.printed + played.notices


# A wrong setting, such as an address with a query, is refused before the first request.
#
# It is a usage error, with the exit code 2, and the message names the setting: "OPENAI_API_KEY". A case
# such as `a26-full-url` is a file with the user's variables.

REFUSED_BEFORE_REQUEST = {
    # The address has a query, `?api-version=`, as Azure's has.
    "a24-azure-query": "query",
    # The address ends with /chat/completions, which the client adds itself.
    "a26-full-url": "/chat/completions",
    # The key has a curly quote in it.
    "a29-key-nonascii": "OPENAI_API_KEY",
    # ALL_PROXY names a SOCKS proxy, which is not supported.
    "a36-socks-proxy": "proxy",
}
"""By case, what the message of the error names."""


@plays_each(REFUSED_BEFORE_REQUEST, "word")
def test_a_wrong_setting_is_named_before_any_request(
    played: PlayedCase, word: str
) -> None:
    assert played.result.code == UsageError.exit_code, played.summary
    assert word in played.printed, played.summary
    assert played.requests == []


# Requests are sent again if the endpoint's refusal may pass.
#
#     request 1   429 "Please try again in 3.2s."   the run waits
#     request 2   a right reply                     the trial is solved
#
# A case such as `c35-524` is a file with an endpoint's replies that users of public projects have reported.

SOLVED_AFTER_REFUSALS = {
    # The provider refuses `response_format`; the refusal is in the error's metadata.
    "a02-openrouter-raw-schema": 3,
    # 429 without the header Retry-After: "Please try again in 3.2s."
    "a37-retry-hint-body": 2,
    # 524 from a gateway, twice, as an HTML page.
    "c35-524": 3,
    # `finish_reason` is "error", and the reply is half an object.
    "c40-finish-error-noerror": 3,
    # Half characters (lone surrogates) in a reply that the next request repeats.
    "d01-surrogates-everywhere": 2,
    # 429 with a date in the past as Retry-After.
    "d04-retry-date": 2,
    # 400 `tool_use_failed`: the provider could not read the model's own call.
    "d22-tool_use_failed": 2,
    # 500 "Failed to parse input": llama.cpp could not read the model's own reply.
    "d23-llamacpp-500-parse": 2,
    # 200 with an error whose code is the text "429".
    "d28-200-warning-code-int-string": 2,
    # 400 that names `response_format` in a list of errors.
    "d32-400-errors-array": 2,
    # 429 "Request too large", but the request is below the limit that it names.
    "e02-429-request-too-large-transient": 2,
    # 429: too many tokens in this minute.
    "e03-anthropic-429-in-body-400": 2,
    # The reply is only line ends, beside its reasoning.
    "e14-content-whitespace": 2,
}
"""By case, how many requests the trial may send. The last one gets a right reply."""


@plays_each(SOLVED_AFTER_REFUSALS, "max_requests")
def test_a_refusal_that_may_pass_is_followed_by_another_request(
    played: PlayedCase, max_requests: int
) -> None:
    """The request is sent again, later or in another form."""
    check_solved(played, max_requests=max_requests)


# An endpoint refuses a parameter of the request, which the next one leaves out.
#
#     request 1   with `response_format`    422 "loc": ["body", "response_format"]
#     request 2   without it                a right reply
#
# `played.requests` are the bodies of the requests, in order. A case such as `f12-parallel` is a file with
# an endpoint's replies.


@plays("d31-422-detail-list")
def test_a_refused_response_format_is_left_out_of_the_next_request(
    played: PlayedCase,
) -> None:
    """The refusal, 422, names the parameter in a list: `"loc": ["body", "response_format"]`."""
    check_solved(played, max_requests=2)
    assert "response_format" in played.requests[0]


@plays("f12-parallel")
def test_a_refused_parallel_tool_calls_is_left_out_and_the_tools_stay(
    played: PlayedCase,
) -> None:
    """The endpoint takes tools, but not the parameter `parallel_tool_calls`."""
    assert played.result.code == 0, played.summary
    assert "parallel_tool_calls" not in played.requests[1]
    assert "tools" in played.requests[1]


@plays("f10-deprecated-temp")
def test_one_of_two_parameters_that_exclude_each_other_is_left_out(
    played: PlayedCase,
) -> None:
    """The endpoint takes `temperature` or `top_p`, and not both."""
    check_solved(played, max_requests=2)
    kept_parameters = played.requests[1].keys() & {"temperature", "top_p"}
    assert len(kept_parameters) == 1


# No parameter of a request is left out because an error has a word that only looks like it.
#
# If an endpoint refuses a parameter, such as "seed", a run leaves it out in all further requests, and
# a notice says "takes no seed; leaving it out from here on". In these errors, the word means
# something else: the run leaves nothing out, and only the trial ends.


@plays("c38-max-tokens-too-large")
def test_a_limit_beyond_the_context_ends_the_trial_and_changes_no_parameter(
    played: PlayedCase,
) -> None:
    """The error says that `max_tokens` is too large for the model's context."""
    check_trial_ended(played, "context")
    assert "from here on" not in played.notices


@plays("f06-flagged-url-reasoning")
def test_a_link_about_reasoning_is_not_taken_for_a_refused_parameter(
    played: PlayedCase,
) -> None:
    """One conversation is flagged. The error links to a page whose address has "reasoning".

    `played.requests[-1]` is the last request, which still has the parameter."""
    check_trial_ended(played, "flagged")
    assert "reasoning_effort" in played.requests[-1]


@plays("f08-seed-word")
def test_the_word_seed_in_an_error_is_not_taken_for_a_refused_parameter(
    played: PlayedCase,
) -> None:
    """The conversation is too long, and is about "seed documents"."""
    check_trial_ended(played, "longer than the model's context")
    assert "seed" in played.requests[-1]


# Trials that end without an answer, because the model cannot answer this conversation.
#
# Most conversations are too long for the model. Other trials of the run may have shorter ones, so
# the run goes on. The user reads the reason beside the trial: "longer than the model's context".

TOO_LONG = "longer than the model's context"
"""What the product says of a conversation that the model cannot take."""

ENDED_AT_ONCE = {
    # The provider's own words are only in the metadata of the error.
    "a01-openrouter-raw-context": [TOO_LONG, "maximum context length is 32768"],
    # 200 with an error whose code is `context_length_exceeded`.
    "a07-200-context-code": [TOO_LONG],
    # The same as a failed response of the Responses API.
    "c23-resp-failed-context": [TOO_LONG],
    # 413 from a gateway: "exceeded this model context window limit".
    "c34-413": [TOO_LONG],
    # "All target providers failed." The reason is in a list of attempts.
    "c36-all-providers-failed": ["maximum context length of 262144"],
    # The request is larger than the limit of tokens in a minute.
    "d18-413-groq-tpm": ["Requested 7000"],
    "e01-429-request-too-large": ["--initial-prompt-chars", "--max-output-tokens"],
}
"""By case, parts of the reason. The same conversation would be refused again."""


@plays_each(ENDED_AT_ONCE, "words")
def test_a_conversation_that_is_refused_for_good_ends_its_trial(
    played: PlayedCase, words: list[str]
) -> None:
    """After a single request; other trials of the run may have shorter conversations."""
    check_trial_ended(played, *words)


ENDED_AFTER_RETRIES = {
    # The model refuses to answer, and its content is "".
    "a11-refusal-empty-string": ["refusal"],
    # The reply has no choice at all.
    "a20-choices-empty": [],
    "a21-choices-null-error-message": [],
    # The body is invalid JSON: its strings have raw line ends.
    "c43-control-chars": ["given up after 5 such replies"],
}
"""By case, parts of the reason. Another try might have had another reply."""


@plays_each(ENDED_AFTER_RETRIES, "words")
def test_a_trial_ends_if_its_replies_are_unreadable_again_and_again(
    played: PlayedCase, words: list[str]
) -> None:
    """After several requests, at most twelve."""
    check_trial_ended(played, *words, max_requests=12)


@plays("c27-resp-refusal")
def test_a_refusal_is_told_to_the_model_before_the_trial_ends(
    played: PlayedCase,
) -> None:
    """The model replies that it will not answer, as a `refusal` of the Responses API, again and
    again."""
    check_trial_ended(played, "refusal", max_requests=12)
    check_model_told(played, "refusal")


# Each recorded case is played by a test, so that a new one is not forgotten.
#
# A case is a JSON file with an endpoint's replies, such as `d04-retry-date.json`. A test that plays
# the case has its name, or `readable_replies.txt` has it.

REPLIES_WRITTEN_IN_TESTS = {
    "a14-reasoning-tokens-only-in-total",
    "a16-cache-read-anthropic",
    "c29-empty-then-good",
    "c30-empty-cost-limit",
    "d16-cached-greater",
    "e11-byok-run-cost",
    "e12-byok-run-cost-no-prices",
}
"""Cases whose replies the tests of the folder `costs` have themselves, with what they cost."""


def test_each_recorded_case_is_played_by_a_test() -> None:
    folder = Path(__file__).parent
    played_cases = set((folder / "readable_replies.txt").read_text().split())
    played_cases |= REPLIES_WRITTEN_IN_TESTS
    for path in folder.rglob("test_*.py"):
        played_cases |= set(re.findall('"(.+?)"', path.read_text("utf-8")))

    recorded_cases = {path.stem for path in CASES.glob("*.json")}
    assert recorded_cases <= played_cases


# Right replies in unusual forms, which a run has to read without asking again.
#
# Examples: a tool call whose arguments are an object instead of a text (`b01-args-object`), or an
# answer behind a byte-order mark (`b20-bom`). The file `readable_replies.txt` names all such cases.

READABLE_REPLIES = Path(__file__).with_name("readable_replies.txt").read_text().split()


@pytest.mark.parametrize("played", READABLE_REPLIES, indirect=True)
def test_a_right_reply_in_an_unusual_form_is_read_with_one_request(
    played: PlayedCase,
) -> None:
    """The trial is solved, and the model is not asked again."""
    check_solved(played, max_requests=1)


# A reply has scripts or calls in a form that cannot be used, and the run goes on.
#
# Nothing of such a reply may be submitted as an answer. A case such as `b47-nul` is a file with replies
# that users of public projects have reported. `played` is the run of one trial with these replies.


@plays("c01-qwen-xml-two-steps", "c02-code-tags-two-steps")
def test_scripts_in_an_unknown_form_are_not_taken_for_an_answer(
    played: PlayedCase,
) -> None:
    """The reply has two scripts, as XML or in <code> tags. Neither of them answers."""
    check_no_prose_submitted(played)


@plays("b47-nul")
def test_code_that_is_not_python_does_not_end_the_run(played: PlayedCase) -> None:
    """It has a NUL character."""
    assert played.result.code == 0, played.summary
    check_no_prose_submitted(played)


@plays("e08-long-name")
def test_a_call_of_an_endless_tool_name_is_told_as_unknown(played: PlayedCase) -> None:
    """The name has 200 characters, half of them line ends."""
    assert played.result.code == 0, played.summary
    assert "there is no tool" in str(played.requests[1:])


@plays("e06-duplicate-ids")
def test_two_tool_calls_with_the_same_id_do_not_end_the_run(played: PlayedCase) -> None:
    """Both calls have the id ""."""
    assert played.result.code == 0, played.summary


# Replies that cannot be read, or not all of them: the next request tells the model why.
#
#     reply 1     {"State": "answer", "Code": "print(1)"}
#     request 2   ... "no JSON object" ...
#
# A case such as `b57-uppercase-keys` is a file with replies that users of public projects have
# reported; a comment beside its name says what is odd.


MODEL_TOLD = {
    # The code is an object, {"language": ..., "content": ...}.
    "b29-code-dict": "code",
    # A list of two actions.
    "b34-array-of-two": "Only the first was run",
    # The action is within {"function_call": ...}.
    "b38-function-call-key": "code",
    # The code is in backticks instead of quotes.
    "b52-backtick-code": "JSON",
    # The keys are `State`, `Plan`, `Done`, `Code`.
    "b57-uppercase-keys": "JSON",
    # The key is " code".
    "b58-key-blank": "code",
    # &quot; instead of quotes.
    "b59-html-escaped": "JSON object",
    # The object is cut off, although `finish_reason` is "stop".
    "b61-final-newline-cut-stop": "not closed",
    # Two different answers in prose.
    "e17-two-drafts-differ": "JSON object",
}
"""By case, a part of what the model is told."""


@plays_each(MODEL_TOLD, "part_of_message")
def test_a_model_is_told_why_its_reply_was_not_read(
    played: PlayedCase, part_of_message: str
) -> None:
    """The next request says it in words such as "no JSON object"."""
    check_model_told(played, part_of_message)


SOLVED_AFTER_TELLING = {
    # Two tool calls side by side.
    "c20-tool-two-calls-first-not-final": "Only the first was run",
    # The content is an empty list.
    "d13-empty-tool-content-list": "empty",
    # <think> is never closed, so that the object is part of the thinking.
    "e15-think-eats-json": "thinking alone",
}
"""By case, a part of what the model is told. The endpoint's second reply is right."""


@plays_each(SOLVED_AFTER_TELLING, "part_of_message")
def test_a_model_that_is_told_what_was_wrong_may_reply_again(
    played: PlayedCase, part_of_message: str
) -> None:
    """Its next reply is right, and solves the trial."""
    check_solved(played, max_requests=2)
    check_model_told(played, part_of_message)
