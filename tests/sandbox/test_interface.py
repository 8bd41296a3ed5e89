"""What passes between a script's process and its parent is checked, bounded and kept as it was.

Messages, documents and schemas of others are refused with one line if they are malformed or too
large. A host that raises, or returns no plain data, fails only its call. Wrong arguments are told
with the signature. Values of the scratchpad are the same in the next step, or an error says which
of them cannot be kept.
"""

import ast
import json
import socket
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, timedelta, timezone
from typing import Any, NamedTuple

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controlplane.sandbox.child.step.scratchpad import decode, encode
from controlplane.sandbox.interface import (
    CallError,
    FileArguments,
    Operation,
    parse_json,
    plain_result,
    schema_fault,
)
from controlplane.sandbox.interface.argument_binding import bound_arguments
from controlplane.sandbox.interface.file_operations import FILE_OPERATIONS
from controlplane.sandbox.interface.foreign_documents import (
    Unreadable,
    parse_toml,
    parse_yaml,
    read_json,
)
from controlplane.sandbox.interface.frames import LENGTH, Connection, Forged
from controlplane.sandbox.interface.messages import (
    AnswerRequest,
    CallRequest,
    CallsRequest,
    CiteRequest,
    Failed,
    Message,
    Question,
    Returned,
    StepReport,
    encoded,
    message_bytes,
)
from controlplane.sandbox.interface.tagged_values import (
    Damaged,
    NotKept,
    flatten,
)
from controlplane.sandbox.parent.child_process import parsed_body
from tests.support.executed_work import executed_lines
from tests.support.product_files import ROOT

# Random JSON values, with few different keys, so that random schemas name the same keys.

RANDOM_VALUES_KEYS = st.sampled_from(["a", "b", "x1"])
SMALL_SCALARS = [None, True, False, 0, 1, 1.0, 1.5, -3, "", "a", "ab"]
SMALL_VALUES = [*SMALL_SCALARS, [], [1], [1, "a"], {}, {"a": 1}, {"x1": ["a"]}]
"""Some values of each type, so that most random schemas accept one of them."""

RANDOM_VALUES_SCALARS = st.sampled_from(SMALL_SCALARS)
VALUES = st.recursive(
    RANDOM_VALUES_SCALARS,
    lambda values: (
        st.lists(values, max_size=3)
        | st.dictionaries(RANDOM_VALUES_KEYS, values, max_size=3)
    ),
)
"""Random JSON values, such as `{"a": [1, "ab"]}`."""


# Random schemas that may fit random values, such as `{"items": {"type": "null"}}`.

KEY_PATTERNS = st.just({"^x": {}})
"""Allows a key that begins with an x, with any value."""

SMALL_INTEGERS = st.integers(-2, 2)
SMALL_SIZES = st.integers(0, 2)
TYPE_NAMES = st.sampled_from(
    ["string", "integer", "number", "boolean", "array", "object", "null"]
)
TYPES = TYPE_NAMES | st.lists(TYPE_NAMES, min_size=1, max_size=2, unique=True)


def schemas_with_one_of(
    keywords: dict[str, st.SearchStrategy[Any]],
) -> st.SearchStrategy[Any]:
    """Return random schemas that have one of the keywords, and perhaps a type.

    With more keywords, hardly any value would fit.
    """
    return st.one_of(
        st.fixed_dictionaries({keyword: values}, optional={"type": TYPES})
        for keyword, values in keywords.items()
    )


FLAT_SCHEMAS = st.builds(dict, type=TYPES) | schemas_with_one_of(
    {
        "enum": st.lists(VALUES, min_size=1, max_size=3),
        "const": VALUES,
        "minimum": SMALL_INTEGERS,
        "exclusiveMaximum": SMALL_INTEGERS,
        "maxLength": SMALL_SIZES,
        "minItems": SMALL_SIZES,
        "required": st.lists(RANDOM_VALUES_KEYS, max_size=2, unique=True),
        "patternProperties": KEY_PATTERNS,
    }
)
"""Random schemas without schemas inside, such as `{"type": "string", "maxLength": 2}`."""


def schemas_containing(schemas: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return random schemas that contain the given ones, such as `{"items": {"type": "null"}}`."""
    first_items = st.lists(schemas, min_size=1, max_size=2)
    declared_keys = st.dictionaries(RANDOM_VALUES_KEYS, schemas, max_size=2)
    with_one_keyword = schemas_with_one_of(
        {
            "anyOf": st.lists(schemas, min_size=1, max_size=3),
            "items": schemas,
            "prefixItems": first_items,
            "properties": declared_keys,
            "additionalProperties": st.just(False) | schemas,
        }
    )
    # These keywords depend on each other: `items` only holds behind the first items, and
    # `additionalProperties` for keys that are not declared and fit no pattern.
    of_lists = st.fixed_dictionaries({"items": schemas, "prefixItems": first_items})
    of_objects = st.fixed_dictionaries(
        {"properties": declared_keys, "additionalProperties": schemas}
    )
    of_closed_objects = st.fixed_dictionaries(
        {"properties": declared_keys, "additionalProperties": st.just(False)},
        optional={"patternProperties": KEY_PATTERNS},
    )
    return with_one_keyword | of_lists | of_objects | of_closed_objects


SCHEMAS = st.recursive(FLAT_SCHEMAS, schemas_containing, max_leaves=6)
"""Random schemas, flat or with others inside."""


# Calls of a script that a host answers by an exception, or by something else than plain data.
#
# The host is code of a benchmark, perhaps of another package.


def error_of_broken_host(answer: Callable[[], object]) -> CallError:
    """Return the error that a script gets if the host answers its call `look` by `answer`.

    `error_of_broken_host(lambda: b"x").message` -> "look broke: …"
    """
    with pytest.raises(CallError) as raised:
        plain_result("look", answer)
    return raised.value


# Operations on files as they are declared, such as `find(name, root="/", kind="all", limit=10)`.


def file_operation(name: str) -> Operation:
    """Return a declared operation: `file_operation("find").name` -> `"find"`."""
    for operation in FILE_OPERATIONS:
        if operation.name == name:
            return operation
    raise LookupError(name)


# Results that are not plain data, such as a mapping that contains itself.


class UnreadableMapping(dict[str, object]):
    """A mapping with a defect: the methods that read it raise."""

    def __iter__(self) -> object:
        raise LookupError

    def keys(self) -> object:
        raise LookupError

    def items(self) -> object:
        raise LookupError


def nested_list(levels: int) -> object:
    """Return `[[[1]]]` for three levels."""
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


def mapping_in_itself() -> dict[str, object]:
    """Return a mapping whose only value is the mapping itself: `{"self": {"self": …}}`."""
    value: dict[str, object] = {}
    value["self"] = value
    return value


# Random values that a script may keep in its scratchpad, such as `[{"a": date(2026, 1, 1)}, {2, 3}]`.

# Random values that a script may keep in its scratchpad: `SCRATCHPAD_VALUES`, made of the others.
TIME_ZONES = st.sampled_from([None, UTC, timezone(timedelta(hours=-3))])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | st.dates()
    | st.datetimes(timezones=TIME_ZONES)
    | st.times()
    | st.timedeltas()
    | st.decimals(allow_nan=False)
)
HASHABLE_VALUES = SCALARS | st.tuples(SCALARS, SCALARS)
SETS = st.sets(HASHABLE_VALUES, max_size=4) | st.frozensets(HASHABLE_VALUES, max_size=4)
# The key "$" marks an encoded value; a script may use it for its own values, too.
KEYS = st.text(max_size=4) | st.just("$") | st.integers()


def containers_of(values):
    """Return random lists, mappings and tuples that have these values in them."""
    return (
        st.lists(values, max_size=4)
        | st.dictionaries(KEYS, values, max_size=4)
        | st.tuples(values, values)
    )


SCRATCHPAD_VALUES = st.recursive(SCALARS | SETS, containers_of, max_leaves=12)
"""Such as `[{"a": date(2026, 1, 1)}, (1, {2, 3})]`."""


# Whatever a parser raises for a document of others becomes one error with one line.
#
# `parse_yaml("!!int ''")` raises "it has a value that cannot be read", where the parser has an
# `IndexError`. Aliases of YAML may let a few lines stand for gigabytes: such a document is refused
# before anything is made of it.


def multiplied(first: str, line: str) -> str:
    """Return YAML of ten lines, each of which has the one before nine times."""
    text = first
    for before, name in zip("abcdefghi", "bcdefghij", strict=True):
        text += line.format(name=name, parts=",".join([f"*{before}"] * 9))
    return text


@pytest.mark.parametrize(
    ("parse", "text", "fault"),
    [
        (parse_toml, "a = " + "[" * 3_000 + "]" * 3_000, "nested too deeply"),
        (parse_toml, f"a = 1{'0' * 400}", "more than 300 digits"),
        (parse_toml, f"a = {'9' * 5_000}", "4300 digits"),
        (parse_toml, "a" + ".b" * 200 + " = 1", "at most 100 parts"),
        (parse_toml, "a = 2001-02-30", "Invalid date"),
        (read_json, "[" * 100_000, "nested too deeply"),
        (read_json, b"\xff", "decode"),
        (parse_yaml, "!!int ''", "a value that cannot be read"),
        (parse_yaml, "!!bool x", "a value that cannot be read"),
        (parse_yaml, "!!timestamp x", "a value that cannot be read"),
        (parse_yaml, "a: 2001-99-99", "month must be in"),
        (parse_yaml, "[" * 3_000, "maximum nesting depth"),
        (parse_yaml, f"a: 1{':1' * 1_000}", "more than 300 digits"),
        (parse_yaml, "a: &a [*a]", "with its aliases"),
        (parse_yaml, multiplied("a: &a [x]\n", "{name}: &{name} [{parts}]\n"), "with"),
        (
            parse_yaml,
            multiplied("a: &a {k: v}\n", "{name}: &{name} {{<<: [{parts}]}}\n"),
            "with its aliases",
        ),
    ],
    ids=range(16),
)
def test_a_document_that_cannot_be_read_is_one_error(
    parse: Callable[[str | bytes], object], text: str | bytes, fault: str
) -> None:
    with pytest.raises(Unreadable, match=fault) as error:
        parse(text)

    assert "\n" not in str(error.value)


def test_a_few_aliases_are_read() -> None:
    assert parse_yaml("a: &a [1, 2]\nb: *a\nc: *a") == {
        "a": [1, 2],
        "b": [1, 2],
        "c": [1, 2],
    }


@pytest.mark.parametrize("parse", [parse_toml, parse_yaml])
def test_a_nul_is_refused_where_texts_become_arguments(
    parse: Callable[..., object],
) -> None:
    text = 'a = "b\\u0000"' if parse is parse_toml else 'a: "b\\0"'

    assert parse(text) == {"a": "b\0"}
    with pytest.raises(Unreadable, match="NUL character"):
        parse(text, refuses_nul=True)


OWN_BORDERS = {
    "agent/endpoint/errors.py",  # a file of the product
    "gates/values/notations.py",  # a file of the product
    "agent/evidence/texts/data_texts.py",  # by `foreign_parser`
    "sandbox/interface/foreign_documents.py",
}


def test_toml_and_yaml_are_parsed_at_the_border_alone() -> None:
    callers = set()
    for folder in ("agent", "benchmarks", "controlplane", "gates", "sandbox"):
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text()
            if "tomllib" not in text and "yaml" not in text:
                continue
            for node in ast.walk(ast.parse(text)):
                is_call = isinstance(node, ast.Call)
                if is_call and isinstance(node.func, ast.Attribute):
                    owner = ast.unparse(node.func.value)
                    if owner in ("tomllib", "yaml"):
                        callers.add(str(path.relative_to(ROOT)))

    assert callers <= OWN_BORDERS


# A frame that is not a JSON object within the bounds ends the script's process, which sent it.
#
# A frame is a message to the parent process: a length of four bytes, and a JSON object of at most
# 10,000 lists and mappings, and 400,000 values. The product's own code never sends another one, so
# somebody has taken the process over.


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"{", id="cut off"),
        pytest.param(b"1", id="a number"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b'"x"', id="a text"),
        pytest.param(b'{"a": NaN}', id="NaN"),
        pytest.param(b'{"a": Infinity}', id="infinity"),
        pytest.param(b'{"a": ' + b"[" * 100_000, id="deep"),
        pytest.param(b'{"a": "\\ud800"}', id="half of a surrogate pair"),
        pytest.param(b"\xff", id="not UTF-8"),
        pytest.param(b'{"a": [' + b"[]," * 10_000 + b"[]]}", id="many lists"),
        pytest.param(b'{"a": [' + b"1," * 400_001 + b"1]}", id="many numbers"),
        pytest.param(b'{"a": ' + b"7" * 5_000 + b"}", id="a number of 5,000 digits"),
    ],
)
def test_a_frame_that_is_not_a_json_object_within_the_bounds_is_called_forged(
    body: bytes,
) -> None:
    with pytest.raises(Forged):
        parsed_body(body)


# JSON of others that is malformed, too complex or too long is refused, and costs the parent little.
#
# `parse_json(b'{"a":', most_bytes=1_000)` raises "EOF …". Half of a surrogate pair, such as
# `\ud83d`, is half of a character in UTF-16. A text with one is read by a second parser, which must
# keep the same bounds.


A_COMMA_TOO_MANY = "Expecting value|Illegal trailing comma"
"""Python's own words for it: until version 3.12, and from 3.13 on."""


@pytest.mark.parametrize(
    ("content", "error"),
    [
        pytest.param(b"[" * 100_000 + b"]" * 100_000, "nested too deeply", id="deep"),
        pytest.param(
            b'["\\ud83d",' + b"[" * 50_000 + b"]" * 50_001,
            "nested too deeply",
            id="deep, with half of a surrogate pair",
        ),
        pytest.param(
            b"[" + b"{}," * 100_000 + b"{}]", "too many values", id="many mappings"
        ),
        pytest.param(
            b"[" + b"1," * 1_000_001 + b"1]", "too many values", id="many numbers"
        ),
        pytest.param(b'{"a":', "EOF", id="cut off"),
        pytest.param(
            '["\\ud83d",]',
            A_COMMA_TOO_MANY,
            id="a comma too many, with an escaped half of a surrogate pair",
        ),
        pytest.param(
            '["\ud83d",]',
            A_COMMA_TOO_MANY,
            id="a comma too many, with half of a surrogate pair",
        ),
    ],
)
def test_json_that_is_malformed_or_too_complex_is_refused(
    content: str | bytes, error: str
) -> None:
    with pytest.raises(ValueError, match=error):
        parse_json(content, most_bytes=64 << 20)


def test_json_with_more_bytes_than_allowed_is_refused() -> None:
    """The text has 2,002 bytes, and 1,000 are allowed."""
    content = b'"' + b"a" * 2_000 + b'"'

    with pytest.raises(ValueError, match="longer than 1,000 bytes"):
        parse_json(content, most_bytes=1_000)


# What a process sends to its parent is checked field by field.
#
# A process is untrusted: `{"kind": "cite", "path": 7, ...}` is refused before anything looks at it.

MESSAGES_OF_PROCESSES = [
    CallRequest("read", ["/a.md"], {"start_line": 3}),
    CallsRequest([encoded(CallRequest("read", [], {"path": "/a.md"}))]),
    CiteRequest("/a.md", "states the limit", ""),
    AnswerRequest(verify_is_callable=True, verify_takes_one_argument=False),
    Question(["/a.md", "/b.md"]),
    Returned({"content": "fee: 7"}),
    Failed("not_found", "there is no /a.md"),
    Failed("internal", "the data is half changed", is_last=True),
    StepReport("finished", "", "the end of the output", is_spent=False),
]
"""One message of each kind, and a failure after which its process must end."""


@pytest.mark.parametrize("body", MESSAGES_OF_PROCESSES)
def test_a_message_of_a_process_is_read_as_it_was_sent(body):
    message = Message(body, "printed", {"a": 1}, 7)

    assert Message.decode(json.loads(message_bytes(message.encode()))) == message


@pytest.mark.parametrize("body", MESSAGES_OF_PROCESSES)
def test_a_field_of_another_type_makes_a_message_forged(body):
    """None is of no type that a field may have, but that of a returned value."""
    sent = encoded(body)
    for name in sent:
        if name == "value":
            continue
        with pytest.raises(Forged, match=repr(name)):
            Message.decode({"body": {**sent, name: None}})


# A message between a script's process and its parent takes about as much memory as it has bytes.
#
# A message is a frame: a length of four bytes, and a JSON object. A script may have taken its process
# over, and send it byte by byte.


class OneByteSocket(socket.socket):
    """A socket that receives one byte at a time, each in an object of its own.

    Python shares its objects for single bytes, so that they would take no memory. `join` makes a
    new object.
    """

    def recv(self, count: int, flags: int = 0) -> bytes:
        return b"".join([super().recv(1), b""])


def test_a_message_that_arrives_byte_by_byte_takes_little_memory():
    """A list of the 100,000 single bytes of this message would take several megabytes."""
    text = "x" * 100_000
    message = b'["' + text.encode() + b'"]'
    receiver, sender = socket.socketpair()
    with OneByteSocket(fileno=receiver.detach()) as connection, sender:
        sender.sendall(LENGTH.pack(len(message)) + message)
        tracemalloc.start()
        try:
            received = Connection(connection).receive(len(message))
            _, peak_bytes = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()

    assert received == message
    assert peak_bytes < 1_000_000


# A JSON schema that refers to itself, over and over, is checked in bounded time.
#
# Schemas come from foreign tools. One may refer to another by `$ref`, or have alternatives (`anyOf`).
# If all refer to each other, a careless check visits them in every order: for twelve schemas, 479
# million.


def schemas_that_refer_to_each_other(size: int) -> dict[str, Any]:
    """Return definitions `A0`, `A1`, ..., each of which allows whatever any of them allows.

    For the size 2, `A1` is {"type": "object",
                             "anyOf": [{"$ref": "#/$defs/A1"}, {"$ref": "#/$defs/A0"}],
                             "properties": {"p0": {"$ref": "#/$defs/A0"}, "p1": ...}}
    """
    references = [{"$ref": f"#/$defs/A{number}"} for number in range(size)]
    properties: dict[str, Any] = {}
    for number, reference in enumerate(references):
        properties[f"p{number}"] = reference

    definitions: dict[str, Any] = {}
    for number in range(size):
        # A schema names itself first. A search that follows the first reference, and does not
        # notice that it has been there, never gets to another schema.
        itself_first = references[number:] + references[:number]
        definitions[f"A{number}"] = {
            "type": "object",
            "anyOf": itself_first,
            "properties": properties,
        }
    return definitions


@pytest.mark.parametrize("size", [2, 5, 12])
def test_schemas_that_all_refer_to_each_other_are_checked_in_bounded_time(
    size: int,
) -> None:
    definitions = schemas_that_refer_to_each_other(size)

    fault = schema_fault(5, {"$defs": definitions, "$ref": "#/$defs/A0"})

    assert fault.endswith("not int 5")  # Every one of the schemas wants an object.


def test_alternatives_that_multiply_are_checked_with_bounded_work() -> None:
    """To follow all alternatives of all alternatives would be 20, 400, 8,000 and so on.

    `n` has to be a string that fits `a`, and 5 is none. The error lists both, `a` as `any`: what is
    nested too deeply to be shown is shown so.
    """
    twenty_times_itself = {"anyOf": [{"$ref": "#/$defs/a"}] * 20}
    schema = {
        "$defs": {"a": twenty_times_itself},
        "properties": {"n": {"type": "string", **twenty_times_itself}},
    }

    def check() -> None:
        assert schema_fault({"n": 5}, schema) == "['n'] is any | str, not int 5"

    # Ten million lines of Python take some seconds.
    assert executed_lines(check) < 10_000_000


# A value is checked against a JSON schema whose keywords depend on each other.
#
# `additionalProperties` only holds for keys that `properties` and `patternProperties` don't have, and
# `items` only for the items behind those of `prefixItems`. So `{"a": 7}` fits the schema
# `{"properties": {"a": {"type": "integer"}}, "additionalProperties": false}`.
#
# `schema_fault(value, schema)` says why a value does not fit, and is empty if it fits.

DECLARES_A = {"properties": {"a": {"type": "integer"}}}
DECLARES_A_ALONE = {**DECLARES_A, "additionalProperties": False}
OTHERS_ARE_TEXTS = {**DECLARES_A, "additionalProperties": {"type": "string"}}


@pytest.mark.parametrize(
    ("value", "schema", "fault"),
    [
        pytest.param({"a": 7}, DECLARES_A_ALONE, "", id="a declared key is allowed"),
        pytest.param(
            {"b": 7}, DECLARES_A_ALONE, " has no key 'b'", id="a further key is not"
        ),
        pytest.param(
            {"a": 7}, OTHERS_ARE_TEXTS, "", id="a declared key has its own schema"
        ),
        pytest.param(
            {"b": 7},
            OTHERS_ARE_TEXTS,
            "['b'] is str, not int 7",
            id="a further key has the schema of further keys",
        ),
        pytest.param(
            {"x1": 7},
            {"patternProperties": {"^x": {}}, "additionalProperties": False},
            "",
            id="a key that fits a pattern is allowed",
        ),
        pytest.param(
            [7, "a"],
            {"prefixItems": [{"type": "integer"}], "items": {"type": "string"}},
            "",
            id="the first item has its own schema",
        ),
    ],
)
def test_keywords_that_depend_on_each_other(
    value: Any, schema: Any, fault: str
) -> None:
    assert schema_fault(value, schema) == fault


# `schema_fault` never refuses a value that the library `jsonschema` accepts.
#
# `schema_fault(7, {"type": "string"})` is " is str, not int 7". It says why a value does not fit a
# JSON schema, and is "" if it fits. The reverse need not hold: keywords that it does not know are not
# checked.


# Fewer examples would hardly have two keywords together that depend on each other.
@settings(max_examples=500)
@given(VALUES, SCHEMAS)
def test_a_value_that_the_jsonschema_library_accepts_is_never_refused(
    random_value: Any, schema: Any
) -> None:
    validator = jsonschema.Draft202012Validator(schema)
    for value in (random_value, *SMALL_VALUES):
        if validator.is_valid(value):
            assert schema_fault(value, schema) == ""


# Unusual values are checked against JSON schemas, and values against unusual schemas.
#
# `schema_fault(7, {"type": "string"})` is " is str, not int 7", which says that the value should be a
# text and is the number 7. A caller puts the name of the value before it: "title is str, not int 7".
# The fault is empty if the value fits, or if the schema itself is wrong.


@pytest.mark.parametrize(
    ("value", "schema", "fault"),
    [
        pytest.param(
            [True],
            {"const": [1]},
            " is [1], not list",  # It should be the list [1], and is another list.
            id="true is not the number 1, although Python calls them equal",
        ),
        pytest.param(
            {},
            {"type": "object", "required": [["k"]]},
            "",
            id="a wrong schema, whose required key is a list, refuses nothing",
        ),
        pytest.param(
            7,
            {"$ref": "#/properties/b", "properties": {"b": {"type": "string"}}},
            "",
            id="a reference to anything but definitions is not followed",
        ),
        pytest.param(
            7,
            {"$ref": "#/definitions/B", "definitions": {"B": {"type": "string"}}},
            " is str, not int 7",
            id="definitions may stand under `definitions`, the older name of `$defs`",
        ),
        pytest.param(
            1 << 70,
            {"type": "integer"},
            " is int, not int of more than 64 bits",
            id="an integer beyond 64 bits is refused",
        ),
    ],
)
def test_unusual_values_and_schemas(value: Any, schema: Any, fault: str) -> None:
    assert schema_fault(value, schema) == fault


# A citation may be passed to a call instead of its path, as models do.
#
# A script keeps citations such as `{"path": "/docs/a.md", "reason": "the page"}`.
# `harness.read(citation)` reads the cited file.


def test_a_call_about_a_path_takes_a_citation_instead() -> None:
    citation = {"path": "/docs/a.md", "reason": "the page"}

    arguments = bound_arguments(
        file_operation("read"), positional=(citation,), named={}
    )

    assert arguments["path"] == "/docs/a.md"


def test_a_citation_does_not_stand_for_any_other_text() -> None:
    """The script passes a citation as the content of a file."""
    citation = {"path": "/docs/a.md", "reason": "the page"}
    write = file_operation("write")

    with pytest.raises(TypeError, match="content is str, not dict"):
        bound_arguments(write, positional=("/docs/b.md", citation), named={})


def test_each_call_has_a_default_list_of_its_own() -> None:
    """The default of `args` of `exec` is a tuple, of which JSON has none."""
    execute = file_operation("exec")

    first = bound_arguments(execute, positional=("/bin/date",), named={})
    second = bound_arguments(execute, positional=("/bin/date",), named={})

    assert first["args"] == []
    assert first["args"] is not second["args"]


# The declaration of a command-line tool says which words of its command line are files.
#
# A script that reads a file with a tool may then cite the file. In `jq .id /a.json`, the filter `.id`
# stands before the file: `FileArguments(first=1).split([".id", "/a.json"])` -> `((".id",),
# ("/a.json",), ())`.


class SplitWords(NamedTuple):
    """The words of a command line: those before its files, the files, and those after."""

    before: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


@pytest.mark.parametrize(
    ("declaration", "words", "expected"),
    [
        pytest.param(
            FileArguments(),
            ["/a", "-", "/b"],
            SplitWords(files=("/a", "-", "/b")),
            id="all words are files",
        ),
        pytest.param(
            FileArguments(first=1),
            [".x", "/a"],
            SplitWords(before=(".x",), files=("/a",)),
            id="files begin at the second word, as in `jq FILTER FILE`",
        ),
        pytest.param(
            FileArguments(first=1),
            ["/a"],
            SplitWords(before=("/a",)),
            id="files begin at the second word, but there is one word",
        ),
        pytest.param(
            FileArguments(count=1),
            ["/a", "x", "/b"],
            SplitWords(files=("/a",), after=("x", "/b")),
            id="only the first word is a file",
        ),
        pytest.param(
            FileArguments(first=1, options=("-r",)),
            [".x", "-r", "/a"],
            SplitWords(before=(".x",), files=("/a",)),
            id="a declared option is left out",
        ),
    ],
)
def test_a_declaration_says_which_words_of_a_command_are_files(
    declaration: FileArguments, words: list[str], expected: SplitWords
) -> None:
    assert declaration.split(words) == expected


@pytest.mark.parametrize("unknown_option", ["-r", "-nr"])
def test_a_command_with_an_option_that_is_not_declared_is_not_split(
    unknown_option: str,
) -> None:
    """Nobody knows whether the word after it is a file, or the option's value."""
    declaration = FileArguments(options=("-n",))

    assert declaration.split([unknown_option, "/a"]) is None


# An exception of a host ends the call that it answers, and nothing more.
#
# The host answers calls of scripts. It is code of a benchmark, perhaps of another package, and may
# raise anything. The script gets one short error: "look broke: ValueError: no such row".


class ExceptionWithoutText(Exception):
    """An exception with a defect of its own: its text cannot be had."""

    def __str__(self) -> str:
        raise ValueError


class BenchmarkError(Exception):
    """An exception that a benchmark of another package defines."""


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(ValueError("no such row"), id="an exception"),
        pytest.param(ExceptionWithoutText(), id="one that cannot be described"),
        pytest.param(OSError(5, "I/O error"), id="an error of the system"),
        pytest.param(MemoryError(), id="no memory"),
        pytest.param(RecursionError("deep"), id="too much recursion"),
        pytest.param(StopIteration(), id="the end of an iteration"),
        pytest.param(AssertionError(), id="a failed assertion"),
        pytest.param(BenchmarkError("down"), id="an exception of another package"),
    ],
)
def test_a_host_that_raises_fails_its_call(error: Exception) -> None:

    def raise_error() -> object:
        raise error

    call_error = error_of_broken_host(raise_error)

    assert call_error.code == "internal"
    assert call_error.host_broke
    assert call_error.message.startswith("look broke: ")
    assert len(call_error.message) <= 400


# A host that returns something else than plain data fails the call that it answers.
#
# The host answers calls of scripts. Its result is sent to the script as JSON, so it must be a mapping
# such as `{"paths": ["/a"]}`. For bytes, a set or 100,000 levels, the script gets one short error.


@pytest.mark.parametrize(
    "result",
    [
        pytest.param(None, id="None"),
        pytest.param([], id="a list"),
        pytest.param("text", id="a text"),
        pytest.param({"content": b"x"}, id="a mapping with bytes"),
        pytest.param({"paths": {"/a"}}, id="a mapping with a set"),
        pytest.param({"x": object()}, id="a mapping with an object"),
        pytest.param(
            {"x": float("nan")}, id="a mapping with a value that is not a number"
        ),
        pytest.param({"x": [float("-inf")]}, id="a mapping with an infinite number"),
        pytest.param({"x": 10**5000}, id="a mapping with a number of too many digits"),
        pytest.param({(1, 2): "x"}, id="a mapping with a key that is not a text"),
        pytest.param(mapping_in_itself(), id="a mapping that contains itself"),
        pytest.param(UnreadableMapping(x=1), id="a mapping that raises"),
        pytest.param({"x": nested_list(100)}, id="a mapping of 101 levels"),
        pytest.param({"x": nested_list(100_000)}, id="a mapping of 100,000 levels"),
    ],
)
def test_a_host_that_returns_something_else_than_plain_data_fails_its_call(
    result: object,
) -> None:

    call_error = error_of_broken_host(lambda: result)

    assert call_error.code == "internal"
    assert call_error.host_broke
    assert call_error.message.startswith("look broke: ")
    assert len(call_error.message) <= 400


# The error of a call with a wrong argument begins with the signature of the call.
#
# A script calls `harness.find(7)`, whose signature is `find(name, root="/", kind="all", limit=10)`.
# The error is "harness.find(name, root='/', …): name is str, not int 7". The model corrects its call
# by it.


@pytest.mark.parametrize(
    ("positional", "named", "error"),
    [
        ((), {}, "needs 'name'"),
        (("a", "b", "c", 1, 2), {}, "takes 4 arguments, 5 were given"),
        (("a",), {"name": "b"}, "got two values for 'name'"),
        (("a",), {"limits": 3}, "has no argument 'limits'"),
        (("a",), {"zzz": 3}, "has no argument 'zzz'"),
        ((7,), {}, "name is str, not int 7"),
        (("a",), {"limit": True}, "limit is int, not bool True"),
        (("a",), {"limit": 1 << 65}, "limit is int, not int of more than 64 bits"),
    ],
)
def test_the_error_of_a_wrong_argument_begins_with_the_signature(
    positional: tuple[object, ...], named: dict[str, object], error: str
) -> None:
    find = file_operation("find")

    with pytest.raises(TypeError) as raised:
        bound_arguments(find, positional, named)

    message = str(raised.value)
    assert message.startswith("harness.find(name, root='/'")
    assert error in message


# A hostile script may send the parent a scratchpad that no sandbox made.
#
# `flatten` makes plain JSON of encoded values, for users to see: `{"$": "date", "v": "2026-01-01"}`
# becomes a text, and a set a list. It raises `Damaged` if a value is not as the sandbox makes it.

TAGS = st.sampled_from(
    ["date", "datetime", "set", "dict", "tuple", "decimal", "float", "time", "x"]
)


def almost_encoded(values):
    """Return random lists and mappings that look like encoded values: `{"$": "date", "v": [7]}`."""
    return (
        st.lists(values, max_size=3)
        | st.dictionaries(
            st.sampled_from(["$", "v", "zone", "fold", "a"]), values, max_size=4
        )
        | st.fixed_dictionaries({"$": TAGS, "v": values})
    )


FORGED_SCRATCHPADS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    almost_encoded,
    max_leaves=10,
)
"""Such as `{"$": "set", "v": [{"$": "date", "zone": 5}]}`."""


@given(FORGED_SCRATCHPADS)
def test_a_forged_scratchpad_becomes_json_or_is_reported_as_damaged(encoded):
    try:
        flat = flatten(encoded)
    except Damaged:
        return
    json.dumps(flat, allow_nan=False)


# A value of the scratchpad is the same in the next step of a trial, although it is kept as JSON.
#
# A script keeps values in its scratchpad. A date is a date again in the next step, and sets, tuples,
# decimals and others likewise:
#
#     encode(date(2026, 1, 1)) -> {"$": "date", "v": "2026-01-01"}
#     decode({"$": "date", "v": "2026-01-01"}) -> date(2026, 1, 1)


@given(SCRATCHPAD_VALUES)
def test_an_encoded_value_is_json_and_decodes_to_the_same_value(value):
    """Hypothesis makes values such as `[{"a": date(2026, 1, 1)}, (1, {2, 3})]`."""
    encoded = encode(value)
    decoded = decode(json.loads(json.dumps(encoded, allow_nan=False)))

    assert decoded == value
    assert type(decoded) is type(value)
    assert encode(decoded) == encoded


def test_a_dataclass_is_kept_as_a_mapping_of_its_fields():
    """The class itself is gone in the next step, as it belongs to the script."""

    @dataclass
    class Line:
        sku: str
        when: date

    decoded = decode(encode([Line("x", date(2026, 1, 1))]))

    assert decoded == [{"sku": "x", "when": date(2026, 1, 1)}]


# The error of a value that the scratchpad cannot keep says where it is.
#
# A script keeps values in its scratchpad, which is sent as JSON. JSON has no functions, bytes or
# complex numbers: "scratchpad['k'][1]['f'] is of type builtin_function_or_method". The model finds
# the value by it.


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (object(), r"scratchpad is of type object"),
        (
            {"k": [1, {"f": print}]},
            r"scratchpad\['k'\]\[1\]\['f'\] is of type builtin_function_or_method",
        ),
        ({"k": {2: print}}, r"scratchpad\['k'\]\[2\] is of type builtin_function"),
        ({"k": 1j}, r"scratchpad\['k'\] is of type complex"),
        ({"k": b"x"}, r"scratchpad\['k'\] is of type bytes"),
        ({"k": 2**20_000}, r"scratchpad\['k'\] is an integer of 20001 bits"),
        ({"k": {"x": type}}, r"scratchpad\['k'\]\['x'\] is of type type"),
    ],
)
def test_the_error_of_a_value_that_cannot_be_kept_says_where_it_is(value, error):
    with pytest.raises(NotKept, match=error):
        encode(value)


def test_a_list_that_contains_itself_cannot_be_kept():
    value: list = []
    value.append(value)

    with pytest.raises(NotKept, match="holds itself"):
        encode(value)
