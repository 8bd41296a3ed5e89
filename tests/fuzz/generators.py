"""Random hostile inputs for the fuzzer: texts, paths, patterns, queries, records, messages.

Each function takes a random generator and returns one input: `pattern(Random(1))` may return
`(a+)*|{2}`. A part of the inputs is what models and servers really send, a part is damaged, and a
part is junk. The same seed gives the same inputs.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

WORDS = [
    "a",
    "id",
    "status",
    "lines",
    "sku",
    "OUTCOME_OK",
    "checked_out",
    "2026-01-01T00:00:00Z",
    "/AGENTS.MD",
    "-0.0",
]
"""Words as they stand in files, records and answers of a shop."""

ODD_TEXTS = [
    # Empty, white space, control characters
    "",
    " ",
    "\x00",
    "\n",
    "\r\n",
    "a\tb",
    "\x1b[31m",
    # Characters of Unicode: a line separator, a byte order mark, one that turns the direction of
    # writing, halves of surrogate pairs, an emoji of several characters
    "\u2028",
    "\ufeff",
    "\u202e",
    "\ud800",
    "\ud83d",
    "\U0001f469\u200d\U0001f680",
    # Characters whose normal form, lower case or upper case is longer or shorter
    "e\u0301",
    "İ",
    "ß",
    "ſ",
    "𝟘" * 80,
    "ﷺ" * 200,
    "\u0300" * 400,
    # Long, or deeply nested
    "a" * 300,
    "[" * 500,
    "{" * 300,
    '{"a":' * 200,
    "../" * 40,
    "/" * 50,
    "a/" * 120,
    # Numbers beyond what JSON or floats have
    "1" * 5_000,
    "1e999",
    "NaN",
    "-Infinity",
    "0x7fff",
    # Characters and texts that mean something in code, URLs, SQL or templates
    "\\",
    '"',
    "'",
    "`",
    "#",
    "?",
    "%00",
    "$(id)",
    "<COUNT:%d>",
    "__class__",
    "; drop table products; --",
]
"""Texts that programs often treat wrongly."""

ATOMS = [
    "a",
    ".",
    r"\w",
    r"\d",
    r"\s",
    r"\b",
    "[^a]",
    "[a-z]",
    r"[\w-]",
    "(?:a|a)",
    "(a+)",
    "(?i:é)",
    r"\1",
    "^",
    "$",
    "(?=a)",
    "(?<!a)",
    "(?P<n>a)",
    "(?P=n)",
    "(?(1)a|b)",
    "[\U00010000-\U0010ffff]",
    "(?s:.)",
    "(?>a)",
    r"\Z",
]
"""Parts of regular expressions. RE2, which the product uses, refuses some of them."""

QUANTIFIERS = [
    "",
    "",  # Twice, so that more parts are not repeated.
    "*",
    "+",
    "?",
    "*?",
    "++",
    "{2}",
    "{0,30}",
    "{3,}",
    "{1000}",
    "{65536}",
    "{0,4294967296}",
]
"""What follows a part of a regular expression and says how often it is repeated."""

GROUPS = ["({})", "(?:{})", "({}|{})", "(?={})", "[{}]"]
"""Parts of regular expressions that have other patterns in each `{}`."""


def _words(text: str) -> list[str]:
    """Return `["select", "from"]` for `"select from"`."""
    return text.split()


# Words of SQL, and the tables of the embedded shop
SQL_KEYWORDS = _words(
    "select from where join left cross natural on group by having order limit offset union all except intersect "
    "with recursive as values insert update delete create table view trigger drop pragma attach vacuum explain "
    "analyze begin case when then else end cast in exists between like glob regexp match null not and or is "
    "collate nocase distinct over partition rows unbounded preceding filter window returning materialized"
)
SQL_FUNCTIONS = _words(
    "abs char coalesce count group_concat hex instr json json_each json_extract json_tree length like lower max "
    "min printf quote random randomblob replace round substr sum total trim typeof unhex unicode upper zeroblob "
    "strftime date julianday format iif nth_value ntile row_number load_extension readfile sqlite_version "
    "fts3_tokenizer"
)
SQL_TABLES = _words(
    "products product_properties stores inventory incoming baskets basket_lines payments returns employees "
    "employee_roles sqlite_master pragma_table_info sqlite_schema generate_series t"
)
JQ_FILTERS = [
    ".",
    ".[]",
    ".a",
    ".lines[0]",
    ".lines[]",
    "keys",
    "length",
    "select(.a==1)",
    '.["a"]',
    "|",
    ".[-1]",
    ".[99]",
]
"""Filters of the tool `jq`, which selects parts of JSON."""


def chosen_kind(rng: Random, percentages: Mapping[str, int]) -> str:
    """Return one of the kinds; `{"known": 40, "random": 60}` gives "known" in 40% of cases."""
    kinds = list(percentages)
    (kind,) = rng.choices(kinds, weights=list(percentages.values()))
    return kind


def _happens(rng: Random, percentage: int) -> bool:
    """Return True in so many of 100 cases."""
    return rng.random() < percentage / 100


def _character(rng: Random) -> str:
    """Return an ASCII character, a Latin one or half of a surrogate pair, each in a third of cases."""
    ascii_code = rng.randrange(32, 127)
    latin_code = rng.randrange(0x250)  # Unicode's Latin blocks end there.
    half_of_pair = 0xD800
    return chr(rng.choice((ascii_code, latin_code, half_of_pair)))


def word(rng: Random) -> str:
    """Return a word of `WORDS`, one of `ODD_TEXTS`, or up to 8 random characters."""
    kind = chosen_kind(rng, {"known": 40, "odd": 40, "random": 20})
    if kind == "known":
        return rng.choice(WORDS)
    if kind == "odd":
        return rng.choice(ODD_TEXTS)
    return "".join(_character(rng) for _ in range(rng.randrange(9)))


def text(rng: Random) -> str:
    """Return up to 5 words, in a quarter of cases 50 times over."""
    separator = rng.choice(["", " ", "\n", ""])
    words = [word(rng) for _ in range(rng.randrange(6))]
    repeats = rng.choice([1, 1, 1, 50])
    return separator.join(words) * repeats


def path(rng: Random, known: Sequence[str]) -> str:
    """Return a path: a known one, one with an ending, a misspelt one, or a new one.

    For the known path `/docs/a.md` these are `/docs/a.md`, `/docs/a.md#row=1`, `/DOCS/A.MD`, and
    random words such as `./sku//a`.
    """
    known_path = rng.choice(known)
    kind = chosen_kind(rng, {"known": 40, "ending": 20, "misspelt": 15, "new": 25})
    if kind == "known":
        return known_path
    if kind == "ending":
        endings = ["#", "#row=1", "/", "/..", " ", "\x00", "#" + known_path]
        return known_path + rng.choice(endings)
    if kind == "misspelt":
        misspelt_paths = [
            known_path.upper(),
            known_path[1:],
            "/" + known_path,
            known_path.replace("/", "//"),
            known_path.rsplit("/", 1)[0],
        ]
        return rng.choice(misspelt_paths)

    start = rng.choice(["/", "", "./"])
    separator = rng.choice(["/", "//", "/./"])
    parts = [word(rng) for _ in range(rng.randrange(5))]
    return start + separator.join(parts)


MAX_PATTERN_DEPTH = 4
"""How many groups may be around a part of a regular expression, as in `((((a))))`."""

MAX_DATA_DEPTH = 6
"""How many lists and objects may be around a JSON value, as in `[[[[[[1]]]]]]`."""


def pattern(rng: Random, depth: int = 0) -> str:
    """Return a regular expression of up to 4 parts, such as `(a+)*|{2}`, often a wrong one.

    A part is one of `ATOMS` (`a`, `\\w`) or one of `GROUPS` (`(?:...)`) with patterns inside. One
    of `QUANTIFIERS` (`*`, `{2}`) follows it. `depth` is the number of groups around the expression.
    """
    expression = ""
    for _ in range(rng.randrange(1, 5)):
        if depth < MAX_PATTERN_DEPTH and _happens(rng, 30):
            expression += _filled_group(rng, rng.choice(GROUPS), depth)
        else:
            expression += rng.choice(ATOMS)
        expression += rng.choice(QUANTIFIERS)
    if _happens(rng, 10):
        expression += word(rng)
    return expression


def _filled_group(rng: Random, group: str, depth: int) -> str:
    """Return a group of `GROUPS`, such as `({}|{})`, with a random pattern for each `{}`."""
    first_part, *further_parts = group.split("{}")
    filled = first_part
    for part in further_parts:
        filled += pattern(rng, depth + 1) + part
    return filled


def _sql_value(rng: Random) -> str:
    """Return an SQL expression: a number, a quoted text, a call of a function, or a name."""
    kind = chosen_kind(rng, {"number": 30, "text": 20, "call": 30, "name": 20})
    if kind == "number":
        # 9**18 is near the largest integer of 64 bits, 1e308 near the largest float.
        return str(rng.choice([0, 1, -1, 9**18, 10**9, 1e308]))
    if kind == "text":
        return "'" + word(rng).replace("'", "''") + "'"
    if kind == "call":
        function = rng.choice(SQL_FUNCTIONS)
        arguments = _sql_values(rng, rng.randrange(4))
        return f"{function}({arguments})"
    names = ["*", "sku", "id", "record_path", "x", "null", "current_timestamp"]
    return rng.choice(names)


def _sql_values(rng: Random, count: int) -> str:
    """Return SQL expressions as a list: `sku, 1, abs('a')`."""
    return ", ".join(_sql_value(rng) for _ in range(count))


def query(rng: Random) -> str:
    """Return an SQL query: a selection, a recursive one, or SQL words in any order."""
    kind = chosen_kind(rng, {"selection": 50, "recursive": 10, "any order": 40})
    if kind == "selection":
        return _sql_selection(rng)
    if kind == "recursive":
        limit = _sql_value(rng)
        numbers = f"select 1 union all select n + 1 from x limit {limit}"
        return f"with recursive x(n) as ({numbers}) select {_sql_value(rng)} from x"
    return " ".join(_sql_word(rng) for _ in range(rng.randrange(25)))


def _sql_selection(rng: Random) -> str:
    """Return a query such as `select sku, abs(1) from products, t where id like 'a'`."""
    tables = ", ".join(rng.choice(SQL_TABLES) for _ in range(rng.randrange(1, 5)))
    values = _sql_values(rng, rng.randrange(1, 4))
    selection = f"select {values} from {tables}"
    if _happens(rng, 50):
        comparison = rng.choice(["=", "<", "like", "glob", "in", "||"])
        selection += f" where {_sql_value(rng)} {comparison} {_sql_value(rng)}"
    return selection


def _sql_word(rng: Random) -> str:
    """Return a keyword, an expression, a table or a sign."""
    keyword = rng.choice(SQL_KEYWORDS)
    table = rng.choice(SQL_TABLES)
    return rng.choice([keyword, _sql_value(rng), table, "(", ")", ","])


def jq(rng: Random) -> str:
    """Return a filter for `jq` of up to 6 parts, such as `.[] | keys`, often a wrong one."""
    separator = rng.choice(["", " | ", "|"])
    parts: list[str] = []
    for _ in range(rng.randrange(1, 7)):
        jq_filter = rng.choice(JQ_FILTERS)
        parts.append(rng.choice([jq_filter, word(rng)]))
    return separator.join(parts)


def data(rng: Random, depth: int = 0) -> Any:
    """Return a JSON value, with numbers at and beyond limits: `{"sku": [1e308, None]}`."""
    kind = chosen_kind(rng, {"scalar": 40, "list": 30, "object": 30})
    if depth >= MAX_DATA_DEPTH or kind == "scalar":
        numbers = [0, -1, 2**63, 10**400, 1.5, -0.0, 1e308]
        return rng.choice([None, True, False, *numbers, word(rng), text(rng)])
    if kind == "list":
        return [data(rng, depth + 1) for _ in range(rng.randrange(5))]
    return {word(rng): data(rng, depth + 1) for _ in range(rng.randrange(5))}


def altered(rng: Random, value: Any) -> Any:
    """Return a copy of a JSON value with some parts replaced, dropped or repeated.

    `{"id": "a", "n": [1, 2]}` -> `{"n": [1, 1, 1, 2]}`
    """
    if _happens(rng, 8):
        return data(rng)
    if isinstance(value, dict):
        return _altered_object(rng, value)
    if isinstance(value, list):
        return _altered_list(rng, value)
    return value


def _altered_object(rng: Random, fields: dict[str, Any]) -> dict[str, Any]:
    """Return a copy without 5% of the fields, in 10% of cases with a random field."""
    copy: dict[str, Any] = {}
    for name, value in fields.items():
        if not _happens(rng, 5):
            copy[name] = altered(rng, value)
    if _happens(rng, 10):
        copy[word(rng)] = data(rng)
    return copy


def _altered_list(rng: Random, items: list[Any]) -> list[Any]:
    """Return a copy in which one item of six is dropped, and one of six is there three times."""
    copy: list[Any] = []
    for item in items:
        for _ in range(rng.choice([0, 1, 1, 1, 1, 3])):
            copy.append(altered(rng, item))
    return copy


def record(rng: Random, like: str) -> str:
    """Return a text like a record, such as `{"id": [null], "n": 2}`, or not at all like one.

    `like` is the text of a real record, such as `{"id": "a", "n": 2}`. It is altered in its
    values, or damaged in a few characters, or replaced by junk.
    """
    kind = chosen_kind(rng, {"altered": 60, "damaged": 20, "junk": 20})
    if kind == "altered":
        try:
            return json.dumps(altered(rng, json.loads(like)))
        except (ValueError, RecursionError):
            return text(rng)
    if kind == "damaged":
        start = rng.randrange(len(like) + 1)
        end = start + rng.randrange(4)
        return like[:start] + word(rng) + like[end:]
    junk = [
        text(rng),
        json.dumps(data(rng)),
        "[" * 100_000,
        '{"a":' * 50_000,
        '{"a":1,"a":[2]}',
        "1" * 10_000,
    ]
    return rng.choice(junk)


def body(rng: Random, frames: list[dict[str, Any]]) -> bytes:
    """Return the bytes of a message: one of `frames`, as it is, altered or damaged, or junk.

    `frames` are messages as they should be, such as `{"printed": "text"}`.
    """
    kind = chosen_kind(rng, {"known": 15, "altered": 45, "damaged": 20, "junk": 20})
    frame = rng.choice(frames)
    if kind == "known":
        return json.dumps(frame).encode()
    if kind == "altered":
        return json.dumps(altered(rng, frame)).encode()
    if kind == "damaged":
        # Up to three bytes take the place of one.
        whole = json.dumps(frame).encode()
        position = rng.randrange(len(whole))
        new_bytes = rng.randbytes(rng.randrange(4))
        return whole[:position] + new_bytes + whole[position + 1 :]
    return _junk_body(rng, frame)


def _junk_body(rng: Random, frame: dict[str, Any]) -> bytes:
    """Return bytes that no right message has: most are costly or impossible to parse."""
    # Functions, so that only the chosen body is made: most are large.
    junk: list[Callable[[], bytes]] = [
        lambda: rng.randbytes(rng.randrange(200)),
        lambda: b"[" * rng.randrange(1, 100_000),
        lambda: b'{"scratchpad": [' + b"[]," * 60_000 + b"1]}",
        lambda: b'{"scratchpad": [' + b'{"a":1},' * 60_000 + b"1]}",
        lambda: b'{"kind": [' + b"1," * 100_000 + b"1]}",
        lambda: json.dumps([*frame, data(rng), data(rng)]).encode(),
        lambda: json.dumps(dict.fromkeys(frame, data(rng))).encode(),
        lambda: b'{"printed": "\\ud800"}',
        lambda: b'{"number": 1e400}',
        lambda: b'{"number": ' + b"9" * 5_000 + b"}",
    ]
    make_body = rng.choice(junk)
    return make_body()
