"""A tool sets fields of a file, and keeps everything else as it is.

The key `set` has the new values by the names of the fields: `{"state": "{1}"}`.
"""

import json

from tests.benchmarks.folder.tools.tool_runs import run_tool


class TestTables:
    """The key `row` says by which cells a row is found, and `set` changes other cells."""

    def test_cells_of_a_row_are_set(self) -> None:
        """One cell has a line end in it, and is replaced."""
        call = {
            "args": ["row", "(.+)", "(.+)"],
            "file": "/t.csv",
            "row": {"id": "{1}"},
            "set": {"name": "{2}", "n": "{1}"},
        }
        table = 'id,name,n\n1,"a,\r\nb",0\n2,b\n'

        run = run_tool(call, "row", "1", "x y", files={"/t.csv": table})

        assert run.exit_code == 0
        assert run.changes == {"/t.csv": "id,name,n\n1,x y,1\n2,b\n"}

    def test_missing_cells_of_a_short_row_are_set(self) -> None:
        """The row `2,b` has no cell for `n`. The new name has a quotation mark."""
        call = {
            "args": ["row", "(.+)", "(.+)"],
            "file": "/t.csv",
            "row": {"id": "{1}"},
            "set": {"name": "{2}", "n": "{1}"},
        }
        table = 'id,name,n\n1,"a,\r\nb",0\n2,b\n'

        run = run_tool(call, "row", "2", 'q"', files={"/t.csv": table})

        assert run.exit_code == 0
        assert run.changes == {"/t.csv": 'id,name,n\n1,"a,\r\nb",0\n2,"q""",2\n'}


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
        """Of `by`, only the name is set."""
        call = {
            "args": r"(\S+)",
            "file": "/loan.json",
            "set": {"by": {"name": "B{1}"}, "list": ["{1}", 3]},
        }
        loan = '{"due": 4, "by": {"name": "Ada", "age": 9}}'

        run = run_tool(call, "ob", files={"/loan.json": loan})

        assert json.loads(run.changes["/loan.json"] or "") == {
            "due": 4,
            "by": {"name": "Bob", "age": 9},
            "list": ["ob", 3],
        }

    def test_an_argument_that_is_a_number_is_set_as_a_number(self) -> None:
        """Within a longer text, it is a part of the text."""
        call = {
            "args": r"(\S+)",
            "file": "/loans/*/l-1.json",
            "set": {"due": "{1}", "note": "due in {1}"},
        }

        run = run_tool(call, "7", files={"/loans/ada/l-1.json": '{"due": 1}'})

        assert json.loads(run.changes["/loans/ada/l-1.json"] or "") == {
            "due": 7,
            "note": "due in 7",
        }
