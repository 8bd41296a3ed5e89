"""A tool of a task sets fields of a YAML file, and keeps everything else as it is.

A *call* says what the tool does for some arguments:

    {"args": "yaml (.+)",           # a pattern for all arguments: "yaml no"
     "file": "/y.yaml",
     "set": {"state": "{1}"}}       # the new values by field; {1} is what the group has matched
"""

from tests.benchmarks.folder.tools.tool_runs import run_tool


def test_fields_of_yaml_are_set() -> None:
    """`no` is quoted, since YAML would read it as a boolean. The field `new` is added."""
    call = {
        "args": "yaml (.+)",
        "file": "/y.yaml",
        "set": {"state": "{1}", "new": True},
    }
    text = "# y\nstate: open\nlist:\n  - state: x\n"

    run = run_tool(call, "yaml", "no", files={"/y.yaml": text})

    assert run.exit_code == 0
    assert run.changes == {
        "/y.yaml": '# y\nstate: "no"\nlist:\n  - state: x\nnew: true\n'
    }


def test_a_field_of_the_yaml_at_the_beginning_of_a_page_is_set() -> None:
    call = {"args": "front (.+)", "file": "/m.md", "set": {"state": "{1}"}}
    page = '---\nstate: "open"\n---\n# State: none\nstate: open\n'

    run = run_tool(call, "front", "done", files={"/m.md": page})

    assert run.exit_code == 0
    assert run.changes == {
        "/m.md": "---\nstate: done\n---\n# State: none\nstate: open\n"
    }
