import json
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gates.facts import fields_of, id_of, id_prefix, is_id, kind_of
from gates.facts.records import MAX_PARTS, MAX_RECORD_CHARS, MAX_VALUES, record_at
from gates.types import SeenText, Touch

TASK = {"id": "task-7", "owner_id": "user-3", "state": "open", "lock": {"state": "free"}, "tags": ["a", "b"]}


def touch(*seen: SeenText) -> Touch:
    return Touch("/desk/tasks/user-3/task-7.json", frozenset({"read"}), seen)


def test_a_record_has_its_fields_by_dotted_name() -> None:
    record = record_at(touch(SeenText(json.dumps(TASK))))
    assert record is not None
    assert (record.id, record.kind, record.owners) == ("task-7", "/desk/tasks", ("user-3",))
    assert record.last.values("lock.state") == ("free",)
    assert record.last.values("tags") == ("a", "b")
    assert record.last.fields["state"] == ("open",)
    assert record.last.holds("OPEN")
    assert not record.last.holds("closed")


def test_a_field_is_found_by_the_last_part_of_its_name() -> None:
    record = record_at(touch(SeenText(json.dumps({"lock": {"state": "free"}}))))
    assert record is not None
    assert record.last.values("state") == ("free",)


def test_a_reading_has_the_last_parts_of_its_fields_names() -> None:
    for data, names in (({"lock": {"by": "user-9"}, "state": "free"}, {"by", "state"}), ({"state": "free"}, {"state"})):
        record = record_at(touch(SeenText(json.dumps(data))))
        assert record is not None
        assert record.last.names == names


def test_the_last_reading_is_the_state_seen_last() -> None:
    record = record_at(touch(SeenText(json.dumps(TASK)), SeenText(json.dumps({**TASK, "state": "done"}))))
    assert record is not None
    assert [each.values("state")[0] for each in record.readings] == ["open", "done"]
    assert record.last.fields["state"] == ("done",)


def test_lines_of_keys_and_values_are_a_record() -> None:
    assert fields_of("user: cust-1\nroles: buyer, guest\n") == {"user": ("cust-1",), "roles": ("buyer", "guest")}


@pytest.mark.parametrize(
    "text",
    ["", "Plain words.", "# Title\nkey: value", "[1, 2]", '{"cut": ', "{" * 50_000, "key: v\n" * 1_000,
     '{"a": "' + "x" * MAX_RECORD_CHARS + '"}'],
)  # fmt: skip
def test_other_texts_are_no_record(text: str) -> None:
    assert fields_of(text) is None


def test_a_part_of_a_file_is_no_record() -> None:
    text = json.dumps(TASK)
    assert record_at(touch(SeenText(text, is_excerpt=True))) is None
    assert record_at(touch(SeenText(text, is_whole=False))) is None


def test_booleans_and_numbers_are_values_and_null_is_none() -> None:
    assert fields_of('{"is_open": true, "count": 3, "gone": null}') == {"is_open": ("true",), "count": ("3",)}


@pytest.mark.parametrize("value", ["cust-0042", "emp_7", "VH-TNT-2P", "t100"])
def test_ids_have_letters_first_and_a_number(value: str) -> None:
    assert is_id(value)


@pytest.mark.parametrize("value", ["2027-05-17", "open", "checked_out", "12", "a b1", "x@y1.z", "a" * 100 + "1"])
def test_dates_words_and_numbers_are_no_ids(value: str) -> None:
    assert not is_id(value)


def test_ids_of_one_kind_share_a_prefix() -> None:
    assert id_prefix("cust-0042") == id_prefix("Cust-7") != id_prefix("emp-7")
    assert id_prefix("Draft") == "draft"


def test_kind_and_id_come_from_the_path() -> None:
    assert (id_of("/a/b/c/x-1.json"), kind_of("/a/b/c/x-1.json"), kind_of("/x-1.json")) == ("x-1", "/a/b", "/")


@pytest.mark.parametrize("text", ['{"a": [' + "1," * 400_000 + "1]}", "a: b\n" * 200_000, " " * 1_000_000 + "{"])
def test_hostile_texts_take_bounded_time(text: str) -> None:
    began = time.process_time()
    fields_of(text)
    assert time.process_time() - began < 5


def test_a_field_is_not_found_by_another_name_and_what_lies_deeper_names_no_owner() -> None:
    record = record_at(touch(SeenText(json.dumps({"lock": {"state": "free", "by": "user-9"}, "made_by": "user-3"}))))
    assert record is not None
    assert record.last.values("color") == ()
    assert record.owners == ("user-3",)


def test_a_text_of_the_greatest_length_is_a_record() -> None:
    assert fields_of('{"a": "' + "x" * (MAX_RECORD_CHARS - 9) + '"}') is not None


def test_so_many_values_are_kept_and_no_more() -> None:
    fields = fields_of(json.dumps({"a": [*map(str, range(MAX_VALUES + 1))], "b": {"c": "d"}}))
    assert fields is not None
    assert list(fields) == ["a"]
    assert len(fields["a"]) == MAX_VALUES
    last = fields_of(json.dumps({"a": [*map(str, range(MAX_VALUES - 1))], "b": {"c": "d"}}))
    assert last is not None
    assert last["b.c"] == ("d",)


@pytest.mark.parametrize(("depth", "is_kept"), [(12, True), (13, False)])
def test_values_are_kept_up_to_twelve_deep(depth: int, is_kept: bool) -> None:
    assert bool(fields_of('{"a": ' * depth + '"b"' + "}" * depth)) is is_kept


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("a: 1\n\nb: 2", 2),
        ("a: 1\nb: 2\nand so on", None),
        ("\n".join(f"k{number}: v" for number in range(200)), 200),
        ("\n".join(f"k{number}: v" for number in range(201)), None),
    ],
)
def test_two_hundred_lines_of_keys_and_values_at_most_are_a_record(text: str, count: int | None) -> None:
    fields = fields_of(text)
    assert (None if fields is None else len(fields)) == count


@pytest.mark.parametrize(("path", "name"), [("/a/.env", ".env"), ("/a/b", "b"), ("/a/b-1.c.json", "b-1.c")])
def test_a_name_without_an_ending_is_an_id_as_it_stands(path: str, name: str) -> None:
    assert id_of(path) == name


@pytest.mark.parametrize(("chars", "is_one"), [(80, True), (81, False)])
def test_an_id_has_eighty_characters_at_most(chars: int, is_one: bool) -> None:
    assert is_id("a" * (chars - 1) + "1") is is_one


def plain_fields(data: object, name: str = "", depth: int = 0) -> list[tuple[str, str]]:
    """Every value with the dotted name that it stands under, in order."""
    match data:
        case bool():
            return [(name, str(data).lower())]
        case str() | int() | float():
            return [(name, str(data)[:2_000])]
        case dict() if depth < 12:
            inner = ((f"{name}.{key}" if name else key, each) for key, each in data.items())
            return [pair for at, each in inner for pair in plain_fields(each, at, depth + 1)]
        case list() if depth < 12:
            return [pair for each in data for pair in plain_fields(each, name, depth + 1)]
    return []


LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.sampled_from(["", "a", "b" * 2_001])
)
NAMES = st.sampled_from([*"abcdefghijkl", "a.b", ""])
DATA = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=12) | st.dictionaries(NAMES, inner, max_size=12))


MANY = dict.fromkeys("abcdefghij", "x")


@pytest.mark.parametrize(
    "data",
    [
        MANY,
        {"in": MANY},
        {**MANY, "a": "b" * 2_001},
        {**MANY, "a": True},
        {**MANY, "a": None},
        {"rows": [MANY, dict.fromkeys("abcdefghij", 2)]},
        {"a": [], "b": [1], "c": [*range(9)]},
    ],
)
def test_many_values_stand_under_their_names_as_few_do(data: dict[str, object]) -> None:
    expected: dict[str, tuple[str, ...]] = {}
    for name, value in plain_fields(data):
        expected[name] = (*expected.get(name, ()), value)
    assert fields_of(json.dumps(data)) == expected


@given(st.dictionaries(NAMES, DATA, max_size=12), st.integers(0, 12))
@example(
    {"a": [{"b": {"c": [str(each) for each in range(20)]}}, *range(20)], "d": {str(each): each for each in range(9)}}, 0
)
@example({"rows": [dict.fromkeys("abcdefghij", "x"), dict.fromkeys("abcdefghij", 2)]}, 1)
@settings(deadline=None)
def test_every_value_of_a_record_stands_under_its_name(data: dict[str, object], levels: int) -> None:
    wrapped: object = data
    for _ in range(levels):
        wrapped = {"in": wrapped}
    expected: dict[str, tuple[str, ...]] = {}
    for name, value in plain_fields(wrapped):
        expected[name] = (*expected.get(name, ()), value)
    found = fields_of(json.dumps(wrapped))
    assert found is not None
    assert list(found.items()) == list(expected.items())


@pytest.mark.parametrize("more", [0, 1, 9])
@pytest.mark.parametrize("each", ["7", '"b"'])
def test_a_record_has_its_first_values_alone(more: int, each: str) -> None:
    last = ", ".join([each] * (10 + more))
    found = fields_of(f'{{"a": [{", ".join(["1"] * (MAX_VALUES - 10))}], "b": [{last}], "c": {{"d": 1}}}}')
    assert found is not None
    assert len(found["a"]) + len(found["b"]) == MAX_VALUES
    assert "c.d" not in found
    rows = ", ".join(f'"r{number}": 1' for number in range(MAX_VALUES + more))
    assert len(fields_of(f"{{{rows}}}") or ()) == MAX_VALUES


def test_an_object_of_too_many_parts_is_no_record() -> None:
    rows = ["{}"] * (MAX_PARTS - 2)
    assert fields_of(f'{{"rows": [{", ".join(rows)}], "a": 1}}') == {"a": ("1",)}
    assert fields_of(f'{{"rows": [{", ".join([*rows, "{}"])}], "a": 1}}') is None
