"""`build_harness` makes the object `harness` by which scripts call their environment.

The environment declares its operations, such as `find(name)`, and each becomes a method. A result
is a dict whose keys are attributes, too, and the error of a wrong use says what to write instead:

    harness = build_harness((FIND,), call, answer)
    harness.find("*.md").paths  # the `paths` of the result that `call("find", ...)` returned
"""

import pytest

from controlplane.sandbox.child.step.harness.harness import build_harness
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    Operation,
    Parameter,
    ResultField,
)


def harness_with(operation, call):
    """Return a harness with one operation, whose calls become `call(name, positional, named)`.

    `harness_with(FIND, call).find("a", deep=True)` -> `call("find", ["a"], {"deep": True})`
    """

    def answer(scratchpad, verify):
        """Take the answer of a script; these tests submit none."""

    return build_harness((operation,), call, answer)


class TestResults:
    """A result is a dict whose keys are attributes, too, at every depth.

    `harness_with(operation, call)` returns a harness with one method. What the function `call`
    returns is the result of a call.
    """

    def test_a_result_is_a_dict_whose_keys_are_attributes_at_every_depth(self):
        """`harness.look()` returns rows with the key `a`, and a text that `json()` parses."""
        look = Operation(
            "look",
            parameters=(),
            fields=(ResultField("rows", ("a",)),),
            summary="look",
            json_field="text",  # what `json()` parses
        )

        def call(operation, positional, named):
            return {"rows": [{"a": {"b": [1]}}], "text": '{"x": 1}'}

        result = harness_with(look, call).look()

        assert result.rows[0].a.b == [1]
        assert result == {"rows": [{"a": {"b": [1]}}], "text": '{"x": 1}'}
        assert result.json() == {"x": 1}
        assert isinstance(result, dict)


READ = FILE_OPERATIONS[0]
"""The operation `read`: `harness.read(path, start_line=0, end_line=0)`."""
LINES = ['{"a": 1,\n', '"b": 2,\n', '"c": 3}']
"""A JSON file, of which a call of `read` returns one line."""


class OneLineReader:
    """Answers `read` with one line of `LINES`, and records the named arguments of each call."""

    def __init__(self):
        self.named_arguments = []

    def call(self, operation, positional, named):
        self.named_arguments.append(named)
        index = named.get("start_line", 1) - 1
        return {
            "path": "/r.json",
            "content": LINES[index],
            "truncated": index < len(LINES) - 1,
        }


class TestLinesReadOn:
    """A file that was cut off is read on before it is parsed as JSON.

    The file has three lines, `{"a": 1,`, `"b": 2,` and `"c": 3}`, of which a call of `read`
    returns one, with `truncated` for the first two. An operation says by `from_line` in which
    parameter the number of the line goes from which to read on: `from_line="start_line"`.
    """

    def test_json_of_a_truncated_file_reads_the_remaining_lines(self):
        """The first call has returned line 1 of three. So the harness makes two more calls: from
        line 2 on, and from line 3 on."""
        reader = OneLineReader()
        read_by_lines = READ._replace(from_line="start_line")
        result = harness_with(read_by_lines, reader.call).read("/r.json")

        assert result.json() == {"a": 1, "b": 2, "c": 3}
        assert reader.named_arguments == [{}, {"start_line": 2}, {"start_line": 3}]

    def test_json_of_a_truncated_file_fails_if_nothing_says_how_to_read_on(self):
        """Half of a file must not be taken for the whole."""
        reader = OneLineReader()
        read_without_lines = READ._replace(from_line="")
        result = harness_with(read_without_lines, reader.call).read("/r.json")

        with pytest.raises(ValueError, match="it was truncated"):
            result.json()
        assert reader.named_arguments == [{}]


READ_BY_CHARACTERS = READ._replace(
    parameters=(*READ.parameters, Parameter("start_char", "int", 0)),
    from_line="",
    from_char="start_char",
)
"""An operation `read` that continues a text at a character instead of a line."""

TEXT = "1234567890"
"""The content of a file."""

PART_CHARS = 4
"""How many characters of it a call of `read` returns."""


class PartReader:
    """Answers `read` with a part of `TEXT`, and records the named arguments of each call.

    `start_char=5` asks for the part from the fifth character on, and no `start_char` for the
    first part. `next_char` is where the next part begins, and 0 at the end of the text.
    """

    def __init__(self):
        self.named_arguments = []

    def call(self, operation, positional, named):
        self.named_arguments.append(named)
        start = named.get("start_char", 1) - 1
        end = start + PART_CHARS
        is_truncated = end < len(TEXT)
        return {
            "path": "/a.json",
            "content": TEXT[start:end],
            "truncated": is_truncated,
            "next_char": end + 1 if is_truncated else 0,
        }


class TestCharactersReadOn:
    """A text that does not fit into one result is read on, part by part.

    The file has the text `1234567890`, of which a call of `read` returns four characters. The
    operation says by `from_char="start_char"` in which parameter the number of the character goes
    from which to read on.
    """

    def test_a_text_that_does_not_fit_into_one_result_is_read_whole(self):
        """The script makes one call. The harness makes two more, until it has the whole text."""
        reader = PartReader()

        result = harness_with(READ_BY_CHARACTERS, reader.call).read("/a.json")

        assert result.content == TEXT
        assert result.truncated is False
        assert result.json() == int(TEXT)
        assert reader.named_arguments == [{}, {"start_char": 5}, {"start_char": 9}]

    def test_a_script_that_asks_for_a_part_of_a_text_gets_that_part(self):
        """The harness reads on by itself only if the script asked for the whole file."""
        reader = PartReader()

        result = harness_with(READ_BY_CHARACTERS, reader.call).read(
            "/a.json", start_char=3
        )

        assert result.content == "3456"
        assert result.truncated is True
        assert result.next_char == 7


FIND = Operation(
    "find",
    parameters=(
        Parameter("name", "str"),
        Parameter("root", "str", "/"),
        Parameter("deep", "bool", False),
        Parameter("n", "int", 3),
    ),
    fields=(ResultField("paths"),),
    summary="find it",
)


class TestWrongUses:
    """The error of a wrong use says what to write instead.

    Models know other harnesses, and mistake one for the other. The model reads the error, and
    writes a better script. The harness has one method, `find(name)`, whose result has `paths`.
    """

    def test_a_wrong_attribute_of_a_result_is_answered_with_a_remedy(self):
        """The script reads `path`, and then assigns to `paths`."""
        harness = harness_with(FIND, lambda *call: {"paths": []})
        result = harness.find("x")

        with pytest.raises(AttributeError, match="it has paths"):
            _ = result.path
        with pytest.raises(AttributeError, match=r"use result\['paths'\]"):
            result.paths = 1

    def test_json_of_a_file_with_an_object_a_line_explains_how_to_parse_it(self):
        """Models often take such a file, JSON Lines, for one JSON document."""

        def call(operation, positional, named):
            return {
                "path": "/a.jsonl",
                "content": '{"a": 1}\n{"a": 2}\n',
                "truncated": False,
            }

        result = harness_with(READ, call).read("/a.jsonl")

        with pytest.raises(
            ValueError, match=r"JSON Lines.*json.loads\(line\) for line in"
        ):
            result.json()

    @pytest.mark.parametrize(
        ("wrong_name", "hint"),
        [
            ("glob", "harness.find"),
            # This harness has no `search`, so all its calls are named: "it has find".
            ("grep", "it has"),
            ("submit", "harness.answer"),
        ],
    )
    def test_a_call_by_the_name_of_another_tool_gets_a_hint(self, wrong_name, hint):
        """The error names the method of this harness that does the same, if there is one."""
        harness = harness_with(FIND, lambda *call: {})

        with pytest.raises(AttributeError, match=hint):
            getattr(harness, wrong_name)


TEXT_FUNCTION = Operation("text", parameters=(), fields=(), summary="t", finds="m:text")
"""A function `harness.tools.text()`, whose result has `value`, `refs` and `notes`.

`finds` names the Python function that computes it, `text` of the module `m`. Here nothing does:
`call` returns a result in its place.
"""


class TestResultsOfFunctions:
    """A function of the benchmark returns a value, with references and notes.

    It is called as `harness.tools.text()`. Its result is `{"value": ..., "refs": [], "notes":
    []}`.
    """

    def test_the_result_of_a_function_prints_as_its_value(self):
        """Scripts use results in texts, and rarely want their notes there."""

        def call(operation, positional, named):
            return {"value": "a\nb", "refs": [], "notes": []}

        result = harness_with(TEXT_FUNCTION, call).tools.text()

        assert result.value == "a\nb"
        assert f"{result}" == "a\nb"

    def test_the_result_of_a_function_prints_its_notes(self):
        """A note says what is doubtful about a value, which the model should see."""

        def call(operation, positional, named):
            return {"value": "a\nb", "refs": [], "notes": ["perhaps"]}

        result = harness_with(TEXT_FUNCTION, call).tools.text()

        assert "perhaps" in str(result)
