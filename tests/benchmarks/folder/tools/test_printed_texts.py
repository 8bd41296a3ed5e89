r"""A tool of a task prints a text, or the text of a file.

A *call* says what the tool prints for some arguments:

    {"args": r"(l-\d) (\S+)",        # a pattern for all arguments: "l-1 7"
     "prints": "renewed {1}\n"}      # {1} is what the first group has matched: "renewed l-1"
"""

from controlplane.benchmarks.folder.folder_runtime import FolderRuntime
from controlplane.benchmarks.folder.task_file import Tool
from tests.benchmarks.folder.tools.tool_runs import run_in, run_tool


def test_a_call_without_arguments_prints_its_text() -> None:
    call = {"prints": "bare\n"}

    run = run_tool(call, files={})

    assert run.stdout == "bare\n"
    assert run.stderr == ""
    assert run.exit_code == 0


def test_a_printed_text_may_have_arguments_in_it() -> None:
    call = {"args": r"(l-\d) (\S+)", "prints": "renewed {1}\n"}

    run = run_tool(call, "l-1", "7", files={})

    assert run.stdout == "renewed l-1\n"
    assert run.stderr == ""
    assert run.exit_code == 0


def test_a_text_is_printed_below_the_text_of_a_file() -> None:
    call = {
        "args": "show (.+)",
        "shows": "{1}",  # the path of the file: "/a.md"
        "prints": "--\n",
    }

    run = run_tool(call, "show", "/a.md", files={"/a.md": "first\n"})

    assert run.stdout == "first\n--\n"
    assert run.stderr == ""
    assert run.exit_code == 0


def test_every_tool_prints_its_help_instead_of_a_call() -> None:
    tool = Tool.model_validate(
        {
            "path": "/bin/renew",
            "kind": "changes",
            "summary": "renews",
            "help": "renew LOAN TIMES",
            "call": [{"args": ".*", "prints": "called\n"}],
        }
    )
    runtime = FolderRuntime({}, [tool.model_dump(mode="json")])

    run = run_in(runtime, "--help")

    assert run.stdout == "usage: renew LOAN TIMES\n"
    assert run.stderr == ""
    assert run.exit_code == 0
