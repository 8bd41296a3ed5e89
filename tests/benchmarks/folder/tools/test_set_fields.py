"""A tool sets fields of a JSON or YAML file, and keeps everything else as it is.

A *call* says what the tool does for some arguments:

    {"args": "(.+) (.+)",           # a pattern for all arguments: "l-1 7"
     "file": "/loans/{1}.json",     # {1} is what its first group has matched: /loans/l-1.json
     "set": {"due": "{2}"}}         # the new values by field: the loan is due on 7
"""

from tests.benchmarks.folder.tools.tool_runs import run_tool


class TestYaml:
    def test_fields_of_yaml_are_set(self) -> None:
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

    def test_a_field_of_the_yaml_at_the_beginning_of_a_page_is_set(self) -> None:
        call = {"args": "front (.+)", "file": "/m.md", "set": {"state": "{1}"}}
        page = '---\nstate: "open"\n---\n# State: none\nstate: open\n'

        run = run_tool(call, "front", "done", files={"/m.md": page})

        assert run.exit_code == 0
        assert run.changes == {
            "/m.md": "---\nstate: done\n---\n# State: none\nstate: open\n"
        }


class TestJson:
    def test_fields_of_json_are_set_and_the_others_kept(self) -> None:
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

    def test_an_argument_that_is_a_number_is_set_as_a_number(self) -> None:
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

    def test_the_file_may_be_in_any_folder(self) -> None:
        """The asterisk stands for the folder."""
        call = {"args": "(.+)", "file": "/loans/*/{1}.json", "set": {"due": 7}}

        run = run_tool(call, "l-1", files={"/loans/ada/l-1.json": '{"due": 1}'})

        assert run.exit_code == 0
        assert run.changes == {"/loans/ada/l-1.json": '{\n  "due": 7\n}\n'}
