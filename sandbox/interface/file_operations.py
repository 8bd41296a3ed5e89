"""The file operations, declared once for every environment that has files."""

from __future__ import annotations

from typing import Final

from sandbox.interface.operations import Effect, Operation, Parameter, ResultField

FILE_OPERATIONS: Final = (
    Operation(
        "read",
        (Parameter("path", "str"), Parameter("start_line", "int", 0), Parameter("end_line", "int", 0)),
        (ResultField("path"), ResultField("content"), ResultField("truncated"), ResultField("sha256")),
        "the text of a file, or of its lines start_line to end_line (counted from 1, 0 is open)",
        Effect.READS,
        json_field="content",
    ),
    Operation(
        "list",
        (Parameter("path", "str", "/"),),
        (ResultField("entries", ("name", "path", "is_dir")),),
        "what a directory holds",
        Effect.LISTS,
    ),
    Operation(
        "tree",
        (Parameter("root", "str", "/"), Parameter("level", "int", 2)),
        (ResultField("name"), ResultField("is_dir"), ResultField("children", ("name", "is_dir", "children"))),
        "a directory with what is below it, level deep (0 is all); prints as an indented tree",
        Effect.LISTS,
        subject="root",
        drawn_as_tree=True,
    ),
    Operation(
        "find",
        (
            Parameter("name", "str"),
            Parameter("root", "str", "/"),
            Parameter("kind", "str", "all"),
            Parameter("limit", "int", 10),
        ),
        (ResultField("paths"), ResultField("truncated")),
        "paths below root whose base name fits a glob; kind is all, files or dirs",
        Effect.LISTS,
        subject="root",
    ),
    Operation(
        "search",
        (Parameter("pattern", "str"), Parameter("root", "str", "/"), Parameter("limit", "int", 10)),
        (ResultField("matches", ("path", "line", "text")), ResultField("truncated")),
        "lines below root that a regular expression matches",
        Effect.LISTS,
        subject="root",
    ),
    Operation(
        "stat",
        (Parameter("path", "str"),),
        (ResultField("path"), ResultField("is_dir"), ResultField("content_type"), ResultField("writable")),
        "what a path is, without reading it",
        Effect.LISTS,
    ),
    Operation(
        "write",
        (Parameter("path", "str"), Parameter("content", "str"), Parameter("if_match_sha256", "str", "")),
        (ResultField("path"),),
        "replace a file's text, or make the file; with if_match_sha256 only if it still has that hash",
        Effect.WRITES,
    ),
    Operation("delete", (Parameter("path", "str"),), (ResultField("path"),), "remove a file", Effect.DELETES),
    Operation(
        "exec",
        (Parameter("path", "str"), Parameter("args", "list[str]", []), Parameter("stdin", "str", "")),
        (ResultField("stdout"), ResultField("stderr"), ResultField("exit_code")),
        "run a tool; with check=True any other exit code than 0 raises HarnessError",
        Effect.EXECUTES,
        exit_field="exit_code",
    ),
)
"""The file operations as every environment with files declares them (see DESIGN.md, "What a script sees")."""
