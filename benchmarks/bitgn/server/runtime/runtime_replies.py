"""The replies of a trial's runtime, made of our operations' results.

The protocol has more fields than our results: the path of a listed folder, the content
types of files, and `truncated` for a tree that is not complete. On request it also numbers
the lines of a file.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.bitgn.proto import SERVICES
from controlplane.benchmarks.bitgn.rpc import FILE, SERVICE, Rpc
from controlplane.benchmarks.bitgn.server.message_fields import Fields
from controlplane.sandbox import content_type, normal_path
from controlplane.sandbox.interface import Plain

_METHODS: Final = SERVICES[SERVICE].methods_by_name


def reply_of(rpc: Rpc, arguments: Fields, result: Fields, request: Fields) -> Fields:
    """Return the reply with the result of an operation, as the protocol declares it."""
    reply: Fields = rpc.reply_to_wire(result)
    match rpc.method:
        case "List":
            reply = _list_reply(reply, result, str(arguments["path"]))
        case "Tree":
            reply = _tree_reply(reply, result)
        case "Read" if request.get("number"):
            reply = _with_line_numbers(reply, arguments)

    # Leave out fields that the protocol does not declare: all of them for Delete.
    declared: dict[str, Plain] = {}
    for field in _METHODS[rpc.method].output_type.fields:
        if field.json_name in reply:
            declared[field.json_name] = reply[field.json_name]
    return declared


def _list_reply(reply: Fields, result: Fields, requested_path: str) -> Fields:
    """Return the reply of List."""
    path = _listed_path(result.get("entries"), requested_path)
    return {**reply, "path": path, "entries": _with_types(reply.get("entries"))}


def _tree_reply(reply: Fields, result: Fields) -> Fields:
    """Return the reply of Tree."""
    (root,) = _with_types([reply.get("root")])
    if result.get("truncated"):
        return {**reply, "root": root, "truncated": True}
    return {**reply, "root": root}


def _listed_path(entries: Plain, requested_path: str) -> str:
    """Return the path of a listed directory, spelled as in its entries' paths."""
    if isinstance(entries, list) and entries and isinstance(entries[0], dict):
        return str(entries[0]["path"]).rpartition("/")[0] or "/"
    return normal_path(requested_path)


def _with_types(nodes: Plain) -> list[Plain]:
    """Return the nodes of a tree or listing, with the content type of each file."""
    typed: list[Plain] = []
    if not isinstance(nodes, list):
        return typed
    for node in nodes:
        if not isinstance(node, dict):
            continue
        copy = dict(node)
        if node.get("kind") == FILE:
            copy["contentType"] = content_type(str(node.get("name", "")))
        if "children" in node:
            copy["children"] = _with_types(node["children"])
        typed.append(copy)
    return typed


def _with_line_numbers(reply: Fields, arguments: Fields) -> Fields:
    """Number the lines as `cat --number` does, starting with the first line of the range."""
    start_line = arguments.get("start_line")
    first_number = 1
    if isinstance(start_line, int):
        first_number = max(start_line, 1)
    lines = str(reply.get("content", "")).splitlines(keepends=True)
    numbered = [
        f"{number:6d}\t{line}" for number, line in enumerate(lines, first_number)
    ]
    return {**reply, "content": "".join(numbered)}
