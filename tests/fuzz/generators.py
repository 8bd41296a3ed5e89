"""Random hostile inputs: texts, paths, patterns, queries, records, frames.

The same seed gives the same inputs.
"""

import json
import time
from collections.abc import Callable
from random import Random
from typing import Any


def _words(text: str) -> list[str]:
    return text.split()


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
ODD = [
    "", " ", "\x00", "\n", "\r\n", "\u2028", "\ufeff", "\ud800", "\U0001f469\u200d\U0001f680", "e\u0301", "İ", "ß", "ſ",
    "\u202e", "a" * 300, "[" * 500, "{" * 300, '{"a":' * 200, "1" * 5_000, "1e999", "NaN", "-Infinity", "\\", '"', "'",
    "`", "#", "?", "%00", "../" * 40, "/" * 50, "a/" * 120, "\u0300" * 400, "ﷺ" * 200, "$(id)", "<COUNT:%d>", "0x7fff",
    "__class__", "; drop table products; --", "\ud83d", "𝟘" * 80, "\x1b[31m", "a\tb",
]  # fmt: skip
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
]
ATOMS += [
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
QUANTIFIERS = [
    "",
    "",
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
SQL = _words(
    "select from where join left cross natural on group by having order limit offset union all except intersect "
    "with recursive as values insert update delete create table view trigger drop pragma attach vacuum explain "
    "analyze begin case when then else end cast in exists between like glob regexp match null not and or is "
    "collate nocase distinct over partition rows unbounded preceding filter window returning materialized"
)
FUNCTIONS = _words(
    "abs char coalesce count group_concat hex instr json json_each json_extract json_tree length like lower max "
    "min printf quote random randomblob replace round substr sum total trim typeof unhex unicode upper zeroblob "
    "strftime date julianday format iif nth_value ntile row_number load_extension readfile sqlite_version "
    "fts3_tokenizer"
)
TABLES = _words(
    "products product_properties stores inventory incoming baskets basket_lines payments returns employees "
    "employee_roles sqlite_master pragma_table_info sqlite_schema generate_series t"
)
FILTERS = _words(
    '. .[] .a .lines[0] .lines[] keys length select(.a==1) .["a"] | .[-1] .[99]'
)


def word(rng: Random) -> str:
    kind = rng.random()
    if kind < 0.4:
        return rng.choice(WORDS)
    if kind < 0.8:
        return rng.choice(ODD)
    return "".join(
        chr(rng.choice((rng.randrange(32, 127), rng.randrange(0x250), 0xD800)))
        for _ in range(rng.randrange(9))
    )


def text(rng: Random) -> str:
    return rng.choice(["", " ", "\n", ""]).join(
        word(rng) for _ in range(rng.randrange(6))
    ) * rng.choice([1, 1, 1, 50])


def path(rng: Random, known: list[str]) -> str:
    chosen = rng.choice(known)
    kind = rng.random()
    if kind < 0.4:
        return chosen
    if kind < 0.6:
        return chosen + rng.choice(
            ["#", "#row=1", "/", "/..", " ", "\x00", "#" + chosen]
        )
    if kind < 0.75:
        return rng.choice(
            [
                chosen.upper(),
                chosen[1:],
                "/" + chosen,
                chosen.replace("/", "//"),
                chosen.rsplit("/", 1)[0],
            ]
        )
    return rng.choice(["/", "", "./"]) + rng.choice(["/", "//", "/./"]).join(
        word(rng) for _ in range(rng.randrange(5))
    )


def pattern(rng: Random, depth: int = 0) -> str:
    parts = []
    for _ in range(rng.randrange(1, 5)):
        nested = depth < 4 and rng.random() < 0.3
        atom = (
            rng.choice(["({})", "(?:{})", "({}|{})", "(?={})", "[{}]"])
            if nested
            else rng.choice(ATOMS)
        )
        atom = atom.replace("{}", "\0")
        while "\0" in atom:
            atom = atom.replace("\0", pattern(rng, depth + 1), 1)
        parts.append(atom + rng.choice(QUANTIFIERS))
    return "".join(parts) + (word(rng) if rng.random() < 0.1 else "")


def query(rng: Random) -> str:
    def value() -> str:
        kind = rng.random()
        if kind < 0.3:
            return str(rng.choice([0, 1, -1, 9**18, 10**9, 1e308]))
        if kind < 0.5:
            return "'" + word(rng).replace("'", "''") + "'"
        if kind < 0.8:
            return f"{rng.choice(FUNCTIONS)}({', '.join(value() for _ in range(rng.randrange(4)))})"
        return rng.choice(
            ["*", "sku", "id", "record_path", "x", "null", "current_timestamp"]
        )

    kind = rng.random()
    if kind < 0.5:
        tables = ", ".join(rng.choice(TABLES) for _ in range(rng.randrange(1, 5)))
        where = (
            f" where {value()} {rng.choice(['=', '<', 'like', 'glob', 'in', '||'])} {value()}"
            if rng.random() < 0.5
            else ""
        )
        return f"select {', '.join(value() for _ in range(rng.randrange(1, 4)))} from {tables}{where}"
    if kind < 0.6:
        return f"with recursive x(n) as (select 1 union all select n + 1 from x limit {value()}) select {value()} from x"
    return " ".join(
        rng.choice([rng.choice(SQL), value(), rng.choice(TABLES), "(", ")", ","])
        for _ in range(rng.randrange(25))
    )


def jq(rng: Random) -> str:
    return rng.choice(["", " | ", "|"]).join(
        rng.choice([rng.choice(FILTERS), word(rng)]) for _ in range(rng.randrange(1, 7))
    )


def data(rng: Random, depth: int = 0) -> Any:
    kind = rng.random()
    if depth > 5 or kind < 0.4:
        return rng.choice(
            [
                None,
                True,
                False,
                0,
                -1,
                2**63,
                10**400,
                1.5,
                -0.0,
                1e308,
                word(rng),
                text(rng),
            ]
        )
    if kind < 0.7:
        return [data(rng, depth + 1) for _ in range(rng.randrange(5))]
    return {word(rng): data(rng, depth + 1) for _ in range(rng.randrange(5))}


def altered(rng: Random, value: Any) -> Any:
    """Return a copy of a JSON value with some parts replaced, dropped or repeated."""
    if rng.random() < 0.08:
        return data(rng)
    if isinstance(value, dict):
        kept = {
            name: altered(rng, each)
            for name, each in value.items()
            if rng.random() > 0.05
        }
        return kept | ({word(rng): data(rng)} if rng.random() < 0.1 else {})
    if isinstance(value, list):
        return [
            altered(rng, item)
            for item in value
            for _ in range(rng.choice([0, 1, 1, 1, 1, 3]))
        ]
    return value


def record(rng: Random, like: str) -> str:
    """Return a record's text: altered, damaged, or no record at all."""
    kind = rng.random()
    if kind < 0.6:
        try:
            return json.dumps(altered(rng, json.loads(like)))
        except (ValueError, RecursionError):
            return text(rng)
    if kind < 0.8:
        at = rng.randrange(len(like) + 1)
        return like[:at] + word(rng) + like[at + rng.randrange(4) :]
    return rng.choice(
        [
            text(rng),
            json.dumps(data(rng)),
            "[" * 100_000,
            '{"a":' * 50_000,
            '{"a":1,"a":[2]}',
            "1" * 10_000,
        ]
    )


def body(rng: Random, frames: list[dict[str, Any]]) -> bytes:
    """Return the bytes of a message: a known frame, altered, damaged, or junk."""
    kind = rng.random()
    frame = rng.choice(frames)
    if kind < 0.15:
        return json.dumps(frame).encode()
    if kind < 0.6:
        return json.dumps(altered(rng, frame)).encode()
    if kind < 0.8:
        whole = json.dumps(frame).encode()
        at = rng.randrange(len(whole))
        return whole[:at] + rng.randbytes(rng.randrange(4)) + whole[at + 1 :]
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
    return rng.choice(junk)()


class Measured:
    """The largest CPU time that one input took, over all targets."""

    most_s = 0.25
    """CPU seconds of the calling thread for one input:
    far above what any takes on a quiet machine."""
    worst_s = 0.0
    worst = ""

    @classmethod
    def take(cls, what: str, work: Callable[[], Any]) -> Any:
        """Do `work` and check its CPU time."""
        started = time.thread_time()
        try:
            return work()
        finally:
            took = time.thread_time() - started
            if took > cls.worst_s:
                cls.worst_s, cls.worst = took, what[:120]
            assert took < cls.most_s, f"{took:.2f} s of CPU: {what[:300]}"
