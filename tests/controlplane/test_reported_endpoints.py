"""Odd replies of model endpoints that users of public projects have reported.

Example: a gateway answers 400 "Provider returned error" and hides the reason in the metadata.
Each case is a JSON file with the recorded replies, such as `a01-openrouter-raw-context.json`. A
server on 127.0.0.1 gives these replies to a run of one trial. The run has to read them, to tell
the model what was wrong, to end the trial, or to pause, and it must never submit nonsense.
"""

import base64
import gzip
import json
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from controlplane.errors import BudgetExhausted, Unreachable, UsageError
from tests.support.byte_server import ByteServer
from tests.support.command import ROOT, CommandResult, run_in_process
from tests.support.endpoints import http_response

# --- The recorded cases ---
#
# A case has these fields, most of them optional:
#   "situation", "right"   what happens, and what the product should do, in words
#   "replies"              the recorded replies in order; see `body_of` for their forms
#   "then_good"            if true, a right reply follows; otherwise the last one is repeated
#   "models"               the reply to `GET /v1/models`
#   "args", "env"          options and environment variables of the run
#   "path", "ipv6"         an unusual address of the endpoint

CASES = ROOT.parent / "shared/endpoints/cases"
"""The folder of the cases. It is not part of the repository."""

needs_cases = pytest.mark.skipif(
    not CASES.exists(), reason="the reported situations are not beside this checkout"
)
"""Skips a test on machines without the cases."""

RIGHT_SCRIPT = """scratchpad["meaning"] = harness.define("heron").meaning
scratchpad["answer"] = scratchpad["meaning"]
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == sp["meaning"])
"""
"""A script with which a model solves the trial: it asks what a heron is, and answers."""

RIGHT_REPLY = json.dumps(
    {"state": "answer", "plan": [], "done": True, "code": RIGHT_SCRIPT}
)
"""The reply of a model that solves the trial, as JSON text."""

USAGE = {"prompt_tokens": 1500, "completion_tokens": 120, "total_tokens": 1620}
"""What a reply is said to have used if the case does not say otherwise."""

NO_LIST_OF_MODELS = {"status": 404, "body": {"error": {"message": "Not Found"}}}
"""The reply to `GET /v1/models` of a server that has no list of its models."""


def filled(value: Any) -> Any:
    """Return a value of a recorded reply with its placeholders filled.

    `"@GOOD"` stands for a whole right reply as JSON text (some cases call it `"@GOODOBJ"`),
    `"@CODE"` for its script, and `"@CODEJSON"` for that script as a JSON string, with quotes.
    An object with the key `"@ARGS"` stands for the right reply as an object.
    """
    if isinstance(value, str):
        # The longer of two names that begin alike is replaced first.
        value = value.replace("@GOODOBJ", RIGHT_REPLY)
        value = value.replace("@GOOD", RIGHT_REPLY)
        value = value.replace("@CODEJSON", json.dumps(RIGHT_SCRIPT))
        return value.replace("@CODE", RIGHT_SCRIPT)
    if isinstance(value, list):
        return [filled(item) for item in value]
    if isinstance(value, dict):
        if "@ARGS" in value:
            return json.loads(RIGHT_REPLY)
        return {key: filled(item) for key, item in value.items()}
    return value


def body_of(reply: Mapping[str, Any], request_body: Mapping[str, Any]) -> bytes:
    """Return the body of a recorded reply, which is recorded in one of these forms.

    - `{"raw": "<html>..."}`: the text as it is
    - `{"b64": "H4sI..."}`: bytes in base64
    - `{"body": {"error": ...}}`: the whole JSON document
    - `{"content": "@GOOD"}`: what the model says, and the rest is as usual
    - `{"message": {...}, "finish": "length", "choice": {...}, "top": {...}}`: parts of a
      chat completion that are unusual
    """
    if "raw" in reply:
        return filled(reply["raw"]).encode("utf-8", "surrogatepass")
    if "b64" in reply:
        return base64.b64decode(reply["b64"])
    if "body" in reply:
        return json.dumps(filled(reply["body"])).encode()
    is_for_the_responses_api = "input" in request_body
    # A case with a "message" has recorded the form of a chat completion, and is sent in this form.
    if is_for_the_responses_api and "message" not in reply:
        return json.dumps(response_document(reply)).encode()
    return json.dumps(chat_completion(reply)).encode()


def response_document(reply: Mapping[str, Any]) -> dict[str, Any]:
    """Return a reply in the form of the Responses API."""
    part = {"type": "output_text", "text": filled(reply["content"])}
    message = {"type": "message", "role": "assistant", "content": [part]}
    return {
        "object": "response",
        "status": "completed",
        "output": [message],
        "usage": reply.get("usage", USAGE),
    }


def chat_completion(reply: Mapping[str, Any]) -> dict[str, Any]:
    """Return a reply in the form of the Chat Completions API."""
    usual_message = {"role": "assistant", "content": reply.get("content")}
    choice = {
        "index": 0,
        "message": filled(reply.get("message", usual_message)),
        "finish_reason": reply.get("finish", "stop"),
    }
    choice |= reply.get("choice", {})
    document = {
        "id": "c1",
        "object": "chat.completion",
        "choices": [choice],
        "usage": reply.get("usage", USAGE),
    }
    document |= filled(reply.get("top", {}))
    return document


def recorded_reply(case: Mapping[str, Any], *, number: int) -> Mapping[str, Any]:
    """Return the reply to the request of this number, counted from 1.

    Behind the recorded replies comes a right one if the case says `"then_good": true`; otherwise
    the last one is repeated.
    """
    replies: list[dict[str, Any]] = case["replies"]
    if number <= len(replies):
        return replies[number - 1]
    if case.get("then_good"):
        return {"content": "@GOOD"}
    return replies[-1]


def server_of(case: Mapping[str, Any], posts: list[dict[str, Any]]) -> ByteServer:
    """Return a server that gives the replies of a case, and adds each request to `posts`.

    A reply with `"hang": 5` comes after 5 s, and one with `"close"` never.
    """

    def answer(connection: socket.socket, request: bytes) -> None:
        request_body: dict[str, Any] = {}
        asks_for_list_of_models = request.startswith(b"GET")
        if asks_for_list_of_models:
            reply = case.get("models") or NO_LIST_OF_MODELS
        else:
            request_body = json.loads(request.partition(b"\r\n\r\n")[2])
            posts.append(request_body)
            reply = recorded_reply(case, number=len(posts))

        server.ended.wait(reply.get("hang", 0))
        if reply.get("close"):
            connection.shutdown(socket.SHUT_RDWR)
            return
        body = body_of(reply, request_body)
        headers = {"Content-Type": "application/json", **reply.get("headers", {})}
        if reply.get("gzip"):
            body = gzip.compress(body)
            headers["Content-Encoding"] = "gzip"
        connection.sendall(http_response(reply.get("status", 200), body, headers))

    server = ByteServer(answer, "::1" if case.get("ipv6") else "127.0.0.1")
    return server


# --- Playing a case ---


@dataclass
class PlayedCase:
    """The run of one trial in which a case was played."""

    situation: str
    """What happens, in words. This and `right` are only printed if the test fails."""
    right: str
    """What the product should do, in words: `run paused, exit 3, 'key is refused'`."""
    result: CommandResult
    posts: list[dict[str, Any]]
    """The bodies of the requests to the model, in order."""
    events: list[dict[str, Any]] = field(default_factory=list)
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
            f"{len(self.posts)} requests: {self.printed[-1500:]} {self.notices}"
        )


@pytest.fixture
def played(request: pytest.FixtureRequest, tmp_path: Path) -> PlayedCase:
    """Play the case that the test's parameter names; see `plays`."""
    case = json.loads((CASES / f"{request.param}.json").read_text("utf-8"))
    if case.get("ipv6") and not socket.has_ipv6:
        pytest.skip("this machine has no IPv6")

    posts: list[dict[str, Any]] = []
    with server_of(case, posts) as server:
        base_url = f"{server.url}{case.get('path', '/v1')}"
        variables = {
            "OPENAI_BASE_URL": base_url,
            "OPENAI_API_KEY": "sk-fake-000000",
            "MODEL_ID": "m",
        }
        for name, value in case.get("env", {}).items():
            variables[name] = value.replace("@BASE", base_url)
        result = run_in_process(
            "run",
            "heron",
            "--benchmark",
            "docs.examples.wordbook",
            "--json",
            "--model-patience",
            "6",
            "--trial-time",
            "60",
            "--runs-dir",
            tmp_path,
            *case.get("args", []),
            cwd=ROOT,
            **variables,
        )

    events: list[dict[str, Any]] = []
    for journal in tmp_path.glob("*.jsonl"):
        for line in journal.read_text("utf-8", "replace").splitlines():
            events.append(json.loads(line))
    return PlayedCase(case["situation"], case["right"], result, posts, events)


def plays(case_name: str) -> pytest.MarkDecorator:
    """Mark a test whose argument `played` is the played case of this name."""
    return pytest.mark.parametrize("played", [case_name], indirect=True)


# --- The ways in which a case may end ---

OK = 0


def check_solved(played: PlayedCase, *, max_requests: int) -> None:
    """Assert that the reply was read, and the trial solved."""
    assert played.result.code == OK, played.summary
    assert played.trial["score"] == 1.0, played.summary
    assert played.trial["steps"] >= 1, played.summary
    assert len(played.posts) <= max_requests, played.summary


def check_paused(played: PlayedCase, *words: str, max_requests: int = 10) -> None:
    """Assert that the run paused: nothing is scored, and the user is told all of `words`.

    `controlplane resume` continues such a run, once the endpoint or its settings are right.
    """
    assert played.result.code == Unreachable.exit_code, played.summary
    assert played.trial["state"] == "open", played.summary
    assert played.trial["score"] is None, played.summary
    for word in words:
        assert word in played.printed, played.summary
    assert len(played.posts) <= max_requests, played.summary


def check_trial_ended(played: PlayedCase, *words: str, max_requests: int = 1) -> None:
    """Assert that only this trial ended, without an answer, for a reason with all of `words`.

    The model cannot answer this one conversation, and other trials go on. The harness submits a
    fallback, an answer of its own.
    """
    assert played.result.code == OK, played.summary
    assert played.trial["state"] == "fallback", played.summary
    for word in words:
        assert word in played.trial["reason"], played.summary
    assert len(played.posts) <= max_requests, played.summary


def check_no_prose_submitted(played: PlayedCase) -> None:
    """Assert that nothing of a reply was submitted that is not an answer.

    The trial has the right answer, or the harness's own fallback.
    """
    if played.trial["state"] != "fallback":
        assert played.trial["score"] == 1.0, played.summary


def check_model_told(played: PlayedCase, word: str) -> None:
    """Assert that the second request tells the model what was wrong with its reply."""
    second_request = json.dumps(played.posts[1])
    assert word in second_request, played.summary
    check_no_prose_submitted(played)


# --- Cases in which the trial is solved after all ---

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
"""By case, the largest number of requests. A request that is refused is sent again, later or in
another form, and a right reply follows."""


@needs_cases
@pytest.mark.parametrize(
    ("played", "max_requests"), SOLVED_AFTER_REFUSALS.items(), indirect=["played"]
)
def test_a_refusal_that_may_pass_is_followed_by_another_request(
    played: PlayedCase, max_requests: int
) -> None:
    """The table has a remark on each case. In the end the trial is solved."""
    check_solved(played, max_requests=max_requests)


# --- Cases in which the run pauses ---

PAUSED_AFTER_RETRIES = {
    # Gemini answers a wrong key with 400 instead of 401.
    "a04-gemini-400-key": ["the key is refused"],
    # LM Studio answers 200 to a wrong path.
    "a09-lmstudio-200-wrong-path": ["OPENAI_BASE_URL", "/v1"],
    # The gateway compresses with Brotli, which was not asked for.
    "a22-br": ["br"],
    # HTTP_PROXY names a proxy that does not run.
    "a34-proxy-localhost": ["proxy"],
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
"""By case, what the user is told. Every trial of the run would meet the same fault."""

PAUSED_AT_ONCE = {
    "a06-openai-billing-hard-limit": ["no credit is left", "Billing hard limit"],
    "a40-429-insufficient": ["no credit is left"],
}
"""By case, what the user is told. More requests cannot help if no money is left."""


@needs_cases
@pytest.mark.parametrize(
    ("played", "words"), PAUSED_AFTER_RETRIES.items(), indirect=["played"]
)
def test_a_run_pauses_if_every_trial_would_fail(
    played: PlayedCase, words: list[str]
) -> None:
    """A wrong key or address has to be corrected by the user. No trial may count as failed for it."""
    check_paused(played, *words)


@needs_cases
@pytest.mark.parametrize(
    ("played", "words"), PAUSED_AT_ONCE.items(), indirect=["played"]
)
def test_a_run_pauses_at_once_if_no_credit_is_left(
    played: PlayedCase, words: list[str]
) -> None:
    """After a single request."""
    check_paused(played, *words, max_requests=1)


@needs_cases
@plays("a17-sse-only")
def test_a_server_that_always_streams_is_named_as_the_fault(played: PlayedCase) -> None:
    """The address is right, so the message must not ask whether it is."""
    check_paused(played, "stream")
    assert "is OPENAI_BASE_URL" not in played.printed


@needs_cases
@plays("d02-hang-forever")
def test_a_server_that_never_answers_is_given_up(played: PlayedCase) -> None:
    """The run pauses if its patience with the model (6 s) is over before the trial's time (8 s).
    On a busy machine the trial may end first."""
    assert played.result.code in (OK, Unreachable.exit_code), played.summary
    assert "did not answer" in played.printed + played.notices


# --- Cases in which only the trial ends ---

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

ENDED_AFTER_RETRIES = {
    # The model refuses to answer, and its content is "".
    "a11-refusal-empty-string": ["refusal"],
    # The reply has no choice at all.
    "a20-choices-empty": [],
    "a21-choices-null-error-message": [],
    # The body is invalid JSON: its strings have raw line ends.
    "c43-control-chars": [],
}
"""By case, parts of the reason. Another try might have had another reply."""


@needs_cases
@pytest.mark.parametrize(
    ("played", "words"), ENDED_AT_ONCE.items(), indirect=["played"]
)
def test_a_conversation_that_is_refused_for_good_ends_its_trial(
    played: PlayedCase, words: list[str]
) -> None:
    """After a single request; other trials of the run may have shorter conversations."""
    check_trial_ended(played, *words)


@needs_cases
@pytest.mark.parametrize(
    ("played", "words"), ENDED_AFTER_RETRIES.items(), indirect=["played"]
)
def test_a_trial_ends_if_its_replies_are_unreadable_again_and_again(
    played: PlayedCase, words: list[str]
) -> None:
    """After several requests, at most twelve."""
    check_trial_ended(played, *words, max_requests=12)


@needs_cases
@plays("c27-resp-refusal")
def test_a_refusal_is_told_to_the_model_before_the_trial_ends(
    played: PlayedCase,
) -> None:
    """The model replies that it will not answer, as a `refusal` of the Responses API, again and
    again."""
    check_trial_ended(played, "refusal", max_requests=12)
    check_model_told(played, "refusal")


# --- Cases in which the command is refused before it asks a model ---

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
"""By case, what the error names."""


@needs_cases
@pytest.mark.parametrize(
    ("played", "word"), REFUSED_BEFORE_REQUEST.items(), indirect=["played"]
)
def test_a_wrong_setting_is_named_before_any_request(
    played: PlayedCase, word: str
) -> None:
    """It is a usage error, with the exit code 2."""
    assert played.result.code == UsageError.exit_code, played.summary
    assert word in played.printed, played.summary
    assert played.posts == []


# --- Cases in which the model is told what was wrong ---

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
"""By case, what the model is told. Its reply cannot be read, or not all of it."""

SOLVED_AFTER_TELLING = {
    # Two tool calls side by side.
    "c20-tool-two-calls-first-not-final": "Only the first was run",
    # The content is an empty list.
    "d13-empty-tool-content-list": "empty",
    # <think> is never closed, so that the object is part of the thinking.
    "e15-think-eats-json": "thinking alone",
}
"""By case, what the model is told. A right reply follows."""


@needs_cases
@pytest.mark.parametrize(("played", "word"), MODEL_TOLD.items(), indirect=["played"])
def test_a_model_is_told_why_its_reply_was_not_read(
    played: PlayedCase, word: str
) -> None:
    """The second request says it in words such as "no JSON object"."""
    check_model_told(played, word)


@needs_cases
@pytest.mark.parametrize(
    ("played", "word"), SOLVED_AFTER_TELLING.items(), indirect=["played"]
)
def test_a_model_that_is_told_what_was_wrong_may_reply_again(
    played: PlayedCase, word: str
) -> None:
    """Its second reply is right, and solves the trial."""
    check_solved(played, max_requests=2)
    check_model_told(played, word)


# The cases of the next two tests, which say what is odd in them.
NEVER_SUBMITTED = ("c01-qwen-xml-two-steps", "c02-code-tags-two-steps")
NOT_A_PROGRAM = ("b47-nul", "b50-nbsp-code")


@needs_cases
@pytest.mark.parametrize("played", NEVER_SUBMITTED, indirect=True)
def test_scripts_in_an_unknown_form_are_not_taken_for_an_answer(
    played: PlayedCase,
) -> None:
    """The reply has two scripts, as XML or in <code> tags. Neither of them answers."""
    check_no_prose_submitted(played)


@needs_cases
@pytest.mark.parametrize("played", NOT_A_PROGRAM, indirect=True)
def test_code_that_is_not_python_does_not_end_the_run(played: PlayedCase) -> None:
    """It has a NUL character, or is indented with no-break spaces."""
    assert played.result.code == OK, played.summary
    check_no_prose_submitted(played)


@needs_cases
@plays("e08-long-name")
def test_a_call_of_an_endless_tool_name_is_told_as_unknown(played: PlayedCase) -> None:
    """The name has 200 characters, half of them line ends."""
    assert played.result.code == OK, played.summary
    assert "there is no tool" in str(played.posts[1:])


@needs_cases
@plays("e06-duplicate-ids")
def test_two_tool_calls_with_the_same_id_do_not_end_the_run(played: PlayedCase) -> None:
    """Both calls have the id ""."""
    assert played.result.code == OK, played.summary


# --- Cases about parameters of the request ---


@needs_cases
@plays("d31-422-detail-list")
def test_a_refused_response_format_is_left_out_of_the_next_request(
    played: PlayedCase,
) -> None:
    """The refusal, 422, names the parameter in a list: `"loc": ["body", "response_format"]`."""
    check_solved(played, max_requests=2)
    assert "response_format" in played.posts[0]


@needs_cases
@plays("f12-parallel")
def test_a_refused_parallel_tool_calls_is_left_out_and_the_tools_stay(
    played: PlayedCase,
) -> None:
    """The endpoint takes tools, but not the parameter `parallel_tool_calls`."""
    assert played.result.code == OK, played.summary
    assert "parallel_tool_calls" not in played.posts[1]
    assert "tools" in played.posts[1]


@needs_cases
@plays("f10-deprecated-temp")
def test_one_of_two_parameters_that_exclude_each_other_is_left_out(
    played: PlayedCase,
) -> None:
    """The endpoint takes `temperature` or `top_p`, and not both."""
    check_solved(played, max_requests=2)
    kept_parameters = played.posts[1].keys() & {"temperature", "top_p"}
    assert len(kept_parameters) == 1


@needs_cases
@plays("c38-max-tokens-too-large")
def test_a_limit_beyond_the_context_ends_the_trial_and_changes_no_parameter(
    played: PlayedCase,
) -> None:
    """The error names `max_tokens`, but the endpoint does know it. The notice that it is left
    out "from here on" would be wrong."""
    check_trial_ended(played, "context")
    assert "from here on" not in played.notices


@needs_cases
@plays("f06-flagged-url-reasoning")
def test_a_link_about_reasoning_is_not_taken_for_a_refused_parameter(
    played: PlayedCase,
) -> None:
    """One conversation is flagged. The error links to a page whose address has "reasoning"."""
    check_trial_ended(played, "flagged")
    assert "reasoning_effort" in played.posts[-1]


@needs_cases
@plays("f08-seed-word")
def test_the_word_seed_in_an_error_is_not_taken_for_a_refused_parameter(
    played: PlayedCase,
) -> None:
    """The conversation is too long, and is about "seed documents"."""
    check_trial_ended(played, TOO_LONG)
    assert "seed" in played.posts[-1]


# --- Cases about tokens and costs ---


@needs_cases
@plays("a14-reasoning-tokens-only-in-total")
def test_tokens_that_are_only_in_the_total_are_counted(played: PlayedCase) -> None:
    """The reply counts 2994 tokens in all, but only 1009 of the prompt and 164 of the answer.
    The rest is thinking, which is paid, too. The user who reported this expected 1994."""
    check_solved(played, max_requests=1)
    assert played.trial["tokens"] >= 1994


@needs_cases
@plays("a16-cache-read-anthropic")
def test_cached_tokens_are_counted_under_anthropics_name(played: PlayedCase) -> None:
    """The usage has `cache_read_input_tokens` beside `prompt_tokens`."""
    check_solved(played, max_requests=1)
    assert 0 < played.result.json["cached_share"] <= 1


@needs_cases
@plays("d16-cached-greater")
def test_more_cached_tokens_than_prompt_tokens_make_no_negative_cost(
    played: PlayedCase,
) -> None:
    """100 tokens of the prompt are not cached, 2000 are, and 100 are written. At 10, 1 and 10 USD
    a million that is 0.004 USD."""
    check_solved(played, max_requests=1)
    assert 0 < played.result.json["cached_share"] <= 1
    assert 0.001 <= played.trial["cost_usd"] <= 0.1


@needs_cases
@plays("c29-empty-then-good")
def test_replies_that_are_empty_are_paid_too(played: PlayedCase) -> None:
    """Three empty replies, and a good one. 1500 + 120 tokens at 1 and 10 USD a million cost
    0.0027 USD."""
    replies = 4

    check_solved(played, max_requests=replies)

    assert played.trial["tokens"] == replies * USAGE["total_tokens"]
    assert played.trial["cost_usd"] == pytest.approx(replies * 0.0027)


@needs_cases
@plays("c30-empty-cost-limit")
def test_a_limit_of_costs_counts_empty_replies(played: PlayedCase) -> None:
    """The first reply is empty and costs 2.15 USD; the trial may cost 1 USD."""
    assert played.result.code == BudgetExhausted.exit_code, played.summary
    assert len(played.posts) == 1
    assert played.trial["cost_usd"] > 1


@needs_cases
@plays("e11-byok-run-cost")
def test_a_limit_of_costs_counts_replies_that_the_gateway_gives_free(
    played: PlayedCase,
) -> None:
    """With the user's own key at a provider, the gateway says "cost": 0. The first reply costs
    1.01 USD by the user's prices; the trial may cost 1 USD."""
    assert played.result.code == BudgetExhausted.exit_code, played.summary
    assert len(played.posts) == 1


@needs_cases
@plays("e12-byok-run-cost-no-prices")
def test_a_providers_cost_behind_a_gateway_is_counted(played: PlayedCase) -> None:
    """The gateway's own "cost" is 0, and its `upstream_inference_cost` is 5 USD a reply."""
    costs_usd: list[float] = []
    for event in played.events:
        if event["type"] == "model_replied":
            costs_usd.append(event["cost_usd"])

    assert costs_usd[:2] == [5.0, 5.0]


# --- All other cases: the reply is read as it is ---

CASES_OF_OTHER_TESTS = {
    *SOLVED_AFTER_REFUSALS,
    *PAUSED_AFTER_RETRIES,
    *PAUSED_AT_ONCE,
    *ENDED_AT_ONCE,
    *ENDED_AFTER_RETRIES,
    *REFUSED_BEFORE_REQUEST,
    *MODEL_TOLD,
    *SOLVED_AFTER_TELLING,
    *NEVER_SUBMITTED,
    *NOT_A_PROGRAM,
    # These have tests of their own.
    "a14-reasoning-tokens-only-in-total",
    "a16-cache-read-anthropic",
    "a17-sse-only",
    "c27-resp-refusal",
    "c29-empty-then-good",
    "c30-empty-cost-limit",
    "c38-max-tokens-too-large",
    "d02-hang-forever",
    "d16-cached-greater",
    "d31-422-detail-list",
    "e06-duplicate-ids",
    "e08-long-name",
    "e11-byok-run-cost",
    "e12-byok-run-cost-no-prices",
    "f06-flagged-url-reasoning",
    "f08-seed-word",
    "f10-deprecated-temp",
    "f12-parallel",
}
"""The cases whose replies are not simply to be read."""
ALL_CASES = {path.stem for path in CASES.glob("*.json")}
READABLE_REPLIES = sorted(ALL_CASES - CASES_OF_OTHER_TESTS)
"""Right replies in unusual forms, such as a tool call whose arguments are an object instead of a
text (`b01-args-object`), or an object behind a byte-order mark (`b20-bom`)."""


@needs_cases
def test_every_case_with_another_test_exists() -> None:
    """A misspelt name in the tables would leave a case without its test."""
    assert CASES_OF_OTHER_TESTS <= ALL_CASES


@needs_cases
@pytest.mark.parametrize("played", READABLE_REPLIES, indirect=True)
def test_a_right_reply_in_an_unusual_form_is_read_with_one_request(
    played: PlayedCase,
) -> None:
    """About 75 forms. The trial is solved, and the model is not asked again."""
    check_solved(played, max_requests=1)
