"""A tool of a task sets fields of a JSON file, and keeps the others as they are.

A *call* says what the tool does for some arguments:

    {"args": "(.+) (.+)",           # a pattern for all arguments: "l-1 7"
     "file": "/loans/{1}.json",     # {1} is what its first group has matched: /loans/l-1.json
     "set": {"due": "{2}"}}         # the new values by field: the loan is due on 7
"""

from tests.benchmarks.folder.tools.tool_runs import run_tool


def test_fields_of_json_are_set_and_the_others_kept() -> None:
    call = {
        "args": "(.+)",
        "file": "/loan.json",
        "set": {
            "by": {"name": "Mr {1}"},  # The other fields of `by` stay.
            "list": ["{1}", 3],
        },
    }
    loan = '{"due": 4, "by": {"name": "Ada", "age": 9}}'

    run = run_tool(call, "Bob", files={"/loan.json": loan})

    assert run.exit_code == 0
    assert run.changes == {
        "/loan.json": """{
  "due": 4,
  "by": {
    "name": "Mr Bob",
    "age": 9
  },
  "list": [
    "Bob",
    3
  ]
}
"""
    }


def test_an_argument_that_is_a_number_is_set_as_a_number() -> None:
    """Within a longer text, it is a part of the text."""
    call = {
        "args": "(.+)",
        "file": "/loan.json",
        "set": {"due": "{1}", "note": "due in {1}"},
    }

    run = run_tool(call, "7", files={"/loan.json": '{"due": 1}'})

    assert run.exit_code == 0
    assert run.changes == {
        "/loan.json": """{
  "due": 7,
  "note": "due in 7"
}
"""
    }


def test_the_file_may_be_in_any_folder() -> None:
    """The asterisk stands for the folder."""
    call = {"args": "(.+)", "file": "/loans/*/{1}.json", "set": {"due": 7}}

    run = run_tool(call, "l-1", files={"/loans/ada/l-1.json": '{"due": 1}'})

    assert run.exit_code == 0
    assert run.changes == {"/loans/ada/l-1.json": '{\n  "due": 7\n}\n'}
