r"""A tool of a task appends a text to a file, or deletes a file, and changes no other.

A *call* says what the tool does for some arguments: `{"args": "(.+)", "file": "/notes/{1}.md",
"append": "x\n"}` appends a line to the file that the argument names, as `{1}` is what the pattern
has matched.
"""

from tests.benchmarks.folder.tools.tool_runs import run_tool


def test_a_text_is_appended_to_a_new_file() -> None:
    """`args` may be a list with a pattern for each argument."""
    call = {
        "args": ["note", r"(l-\d)", "(.*)"],
        "file": "/notes/{1}.md",
        "append": "- {2}\n",
    }

    run = run_tool(
        call, "note", "l-1", "a word, and more", files={"/notes/l-2.md": "- old\n"}
    )

    assert run.exit_code == 0
    assert run.changes == {"/notes/l-1.md": "- a word, and more\n"}


def test_a_text_is_appended_as_a_line_of_its_own() -> None:
    """The file has no newline at its end, so one is added before the text."""
    call = {"args": ["add", "(.+)", "(.+)"], "file": "/t.csv", "append": "{1},{2}\n"}

    run = run_tool(call, "add", "3", "c d", files={"/t.csv": "id,name\n2,b"})

    assert run.exit_code == 0
    assert run.changes == {"/t.csv": "id,name\n2,b\n3,c d\n"}


def test_a_file_is_deleted() -> None:
    call = {"args": "drop (.+)", "file": "{1}", "delete": True}

    run = run_tool(call, "drop", "/a.md", files={"/a.md": "a", "/b.md": "b"})

    assert run.exit_code == 0
    assert run.changes == {"/a.md": None}
