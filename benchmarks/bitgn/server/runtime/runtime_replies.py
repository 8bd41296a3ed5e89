"""The replies of a trial's runtime, made of our operations' results.

The protocol has more fields than our results: the path of a listed folder, the content
types of files, and `truncated` for a tree that is not complete. On request it also numbers
the lines of a file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.bitgn.proto import SERVICES
from controlplane.benchmarks.bitgn.rpc import SERVICE, Rpc
from controlplane.benchmarks.bitgn.rpcs import FILE
from controlplane.benchmarks.bitgn.server.message_fields import Fields
from controlplane.sandbox import content_type, normal_path
from controlplane.sandbox.interface import Plain

_METHODS: Final = SERVICES[SERVICE].methods_by_name


@dataclass(frozen=True, slots=True)
class FinishedCall:
    """A call that one of our operations has carried out."""

    rpc: Rpc
    """How the operation's parameters and results are called in the protocol's messages."""
    request: Fields
    """The request: `{"path": "/a.md", "startLine": 3, "number": True}`."""
    arguments: Fields
    """The arguments of the operation: `{"path": "/a.md", "start_line": 3}`."""
    result: Fields
    """The result of the operation: `{"path": "/a.md", "content": "end"}`."""


def reply_to(call: FinishedCall) -> Fields:
    """Return the reply to a call, with the fields that the protocol declares."""
    reply: Fields = call.rpc.reply_to_wire(call.result)
    match call.rpc.method:
        case "List":
            path = _listed_path(call)
            reply = {
                **reply,
                "path": path,
                "entries": _typed_nodes(reply.get("entries")),
            }
        case "Tree":
            reply = {**reply, "root": _typed_node(reply.get("root"))}
            if call.result.get("truncated"):
                reply = {**reply, "truncated": True}
        case "Read":
            if call.request.get("number"):
                reply = {**reply, "content": _numbered_content(reply, call.arguments)}
    return _declared_fields(reply, call.rpc.method)


def _declared_fields(reply: Fields, method: str) -> Fields:
    """Return the fields of a reply that the protocol declares: none for Delete."""
    declared: dict[str, Plain] = {}
    for field in _METHODS[method].output_type.fields:
        if field.json_name in reply:
            declared[field.json_name] = reply[field.json_name]
    return declared


def _listed_path(call: FinishedCall) -> str:
    """Return the path of a listed folder.

    The request may spell it in another way, `/Docs/`, so it is taken from the path of an
    entry, `/docs/a.md`, if the folder has any.
    """
    entries = call.result.get("entries")
    if isinstance(entries, list) and entries and isinstance(entries[0], dict):
        folder, _, _ = str(entries[0]["path"]).rpartition("/")
        return folder or "/"
    return normal_path(str(call.arguments["path"]))


def _typed_nodes(nodes: Plain) -> list[Plain]:
    """Return the nodes of a tree or listing, with the content type of each file."""
    if not isinstance(nodes, list):
        return []
    return [_typed_node(node) for node in nodes]


def _typed_node(node: Plain) -> Plain:
    """Return a file or folder with the content type of each file in it.

    `{"name": "a.md", "kind": "NODE_KIND_FILE"}` gets `"contentType": "text/markdown"`.
    """
    if not isinstance(node, dict):
        return node
    typed = dict(node)
    if node.get("kind") == FILE:
        typed["contentType"] = content_type(str(node.get("name", "")))
    if "children" in node:
        typed["children"] = _typed_nodes(node["children"])
    return typed


def _numbered_content(reply: Fields, arguments: Fields) -> str:
    """Return a file's lines with numbers, as `cat --number` does: `     3\tend`.

    The numbers begin with that of the first line that was requested.
    """
    start_line = arguments.get("start_line")
    first_number = 1
    if isinstance(start_line, int):
        first_number = max(start_line, 1)
    lines = str(reply.get("content", "")).splitlines(keepends=True)
    numbered = []
    for number, line in enumerate(lines, first_number):
        numbered.append(f"{number:6d}\t{line}")
    return "".join(numbered)
