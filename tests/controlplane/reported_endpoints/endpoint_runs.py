"""Runs of one trial against an endpoint that gives replies of a case.

    run_against(RecordedCase.read("d04-retry-date"), folder).trial["score"]  # 1.0

The trial asks for the meaning of "heron", a word in the example benchmark of the documentation.
"""

import json
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import CommandResult, run_in_process
from tests.support.phonebook_model import ByteServer, http_response
from tests.support.product_files import ROOT

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
