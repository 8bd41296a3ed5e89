"""All targets of the fuzzer, by name.

A fuzzer plays random inputs against a program until one breaks it. A target is a part of the
product that gets such inputs. It raises `AssertionError` if the product, given a random input,
raises anything but its own errors, takes more than 0.25 s of CPU time, or afterwards handles an
ordinary input otherwise than before.
"""

import contextlib
import copy
import io
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from controlplane import (
    Benchmark,
    BenchmarkContext,
    BenchmarkError,
    RunRequest,
    TaskTry,
)
from controlplane.agent.evidence import EvidenceLog
from controlplane.agent.trial_gates import find_verdicts
from controlplane.benchmarks.ecom.ecom_benchmark import open_benchmark
from controlplane.benchmarks.folder.task_text import TaskText
from controlplane.command_line import cli
from controlplane.errors import ControlPlaneError
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import GATE_NAMES, RULE_FAILED
from controlplane.journal.journal_reader import open_journal
from controlplane.sandbox import Ending, ForkServer, Limits, Sandbox, StepResult, Worker
from controlplane.sandbox.files.folder_host import FolderHost
from controlplane.sandbox.interface import FILE_OPERATIONS, CallError, Operation
from controlplane.sandbox.interface.limits import WorkerLimits
from tests.fuzz.forging_peer import ForgedServer
from tests.fuzz.inputs import generators
from tests.fuzz.inputs.damaged_json import (
    damaged_message,
    damaged_record,
    random_data,
    random_path,
)
from tests.fuzz.inputs.generators import chosen_kind, happens, word
from tests.fuzz.inputs.script_frames import SCRIPT_FRAMES
from tests.fuzz.wire_target import CpuMeter, Target, WireRequests
from tests.sandbox.local_parent import FILES, NOW, TOOL_SCHEMA, new_sandbox
from tests.support.ended_calls import add_call
from tests.support.journals import chained_lines
from tests.support.product_files import ROOT

# Values that a damaged journal may have in place of any value: of other types, beyond limits, hostile.
#
#     {"type": "run_opened", "usage": {"costs": [0]}}  ->  {..., "usage": {"costs": ["\u202e\x1b[2J"]}}
#
# Whoever reads the journal must refuse such a line, or show its text harmlessly.

UNEXPECTED_VALUES: list[Any] = [
    # Other types than expected
    None,
    True,
    [],
    {},
    [[]],
    [{}],
    {"": None},
    [0],
    [0, 0],
    ["a"],
    # Numbers at and beyond the limits of floats, timestamps and 64 bits
    0,
    -1,
    2**53,
    10**15,
    -(10**15),
    10**40,
    0.5,
    1e308,
    -0.0,
    # Texts: empty, long, with half of a surrogate pair, with control characters or markup
    "",
    "a" * 500,
    "\ud800",
    "\u202e\x1b[2J",
    "<b>&",
    # Texts with a meaning: a reference to another line, a wrong date, an outcome, a path
    "@text:",
    "1970-13-45T99:99",
    "OUTCOME_OK",
    "/proc",
]
"""What a damaged journal may have in place of any value."""


# Damages the journal of a run, which is a list of *events*: a JSON object for each line.
#
#     events = [{"type": "run_opened", "usage": {"costs": [0]}}, ...]
#     damage_one_place(rng, events)
#     events -> [{"type": "run_opened", "usage": {"costs": ["@text:"]}}, ...]
#
# Whoever reads a journal must stand any damage of this kind.

KeyPath = tuple[Any, ...]
"""The keys that lead to a value: ("usage", "costs", 0) is `event["usage"]["costs"][0]`."""


def damage_one_place(rng: Random, events: list[Any]) -> None:
    """Change the list of events: repeat or remove one, or remove or replace a value of one."""
    position = rng.randrange(len(events))
    event = events[position]
    kind = generators.chosen_kind(
        rng,
        {"repeat event": 8, "remove event": 8, "remove value": 6, "replace value": 78},
    )
    if kind == "repeat event":
        events.insert(rng.randrange(len(events) + 1), copy.deepcopy(event))
        return
    if kind == "remove event":
        del events[position]
        return

    _path_of_event, *paths_of_values = key_paths(event)
    # The value at ("usage", "costs", 0) is an item of the container at ("usage", "costs").
    *keys_of_container, last_key = rng.choice(paths_of_values)
    container = event
    for key in keys_of_container:
        container = container[key]
    if kind == "remove value":
        del container[last_key]
        return
    replacements = [*UNEXPECTED_VALUES, random_data(rng), generators.text(rng)]
    container[last_key] = copy.deepcopy(rng.choice(replacements))


def key_paths(value: Any, path: KeyPath = ()) -> list[KeyPath]:
    """Return the paths of a value and of all values inside it; `path` is that of the value.

    For `{"a": [5]}` these are `()`, `("a",)` and `("a", 0)`.
    """
    items: Sequence[tuple[Any, Any]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    paths = [path]
    for key, inner_value in items:
        paths += key_paths(inner_value, (*path, key))
    return paths


# Damaged copies of a sample journal, and what reads them, for the fuzzer.
#
# A journal is a file with a JSON object a line, such as `{"type": "run_opened", ...}`.
#
#     write_damaged_journal(rng, path)
#     read_trials(path)                # ["stock-count.1", ...], or [] if it is refused
#     run_command(["show", str(path)])

SAMPLE = ROOT / "runs/sample.jsonl"
"""An undamaged journal."""


def write_damaged_journal(rng: Random, path: Path) -> None:
    """Write the sample journal with damage at up to 5 places, mostly at one."""
    events = [json.loads(line) for line in SAMPLE.read_bytes().splitlines()]
    damage_count = rng.choice([1, 1, 1, 2, 5])
    for _ in range(damage_count):
        damage_one_place(rng, events)
    # Each line of a journal has a hash of the line before it. These are computed anew:
    # a reader would refuse the journal at once if they were wrong.
    path.write_bytes(chained_lines(events))


def read_trials(path: Path) -> list[str]:
    """Read all steps of a journal, and return the ids of its trials; none if it is refused."""
    trial_ids: list[str] = []
    with suppress(ControlPlaneError), open_journal(path) as journal:
        trial_ids = list(journal.trials)
        for trial in journal.trials.values():
            for _ in trial.steps:  # reads each step
                pass
    return trial_ids


def run_command(words: list[str]) -> None:
    """Run `controlplane` with these words, whose output and errors for users are ignored."""
    with (
        suppress(ControlPlaneError, SystemExit),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        cli.main(words, "controlplane", standalone_mode=False)


# Parts of which random regular expressions are made, for the fuzzer.
#
#     `a`, `\w`         atoms, which have no other part inside
#     `({}|{})`         groups, with a pattern in each `{}`
#     `*`, `{1000}`     quantifiers, which say how often the part before them is repeated
#
# RE2, the engine of the product, refuses some of them. It must do so with an error of the tool.

ATOMS = [
    # Characters and classes of characters
    "a",
    ".",
    r"\w",
    r"\d",
    r"\s",
    r"\b",
    "[^a]",
    "[a-z]",
    r"[\w-]",
    # Groups, one with a choice that matches in two ways
    "(?:a|a)",
    "(a+)",
    "(?i:é)",
    # References, positions, conditions. RE2, which the product uses, refuses some of them.
    r"\1",
    "^",
    "$",
    "(?=a)",
    "(?<!a)",
    "(?P<n>a)",
    "(?P=n)",
    "(?(1)a|b)",
    # Others
    "[\U00010000-\U0010ffff]",
    "(?s:.)",
    "(?>a)",
    r"\Z",
]
"""Parts of regular expressions that have no other part inside."""

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


# Random regular expressions for the fuzzer, which are often wrong: `(a+)*|{2}`.
#
# A pattern is made of atoms, or of groups with patterns inside, each with a quantifier behind it: `a`,
# `*` and `(?:{})` make `(?:a*)`.

MAX_PATTERN_DEPTH = 4
"""How many groups may be around a part of a regular expression, as in `((((a))))`."""


def pattern(rng: Random, depth: int = 0) -> str:
    """Return a regular expression of up to 4 parts, such as `(a+)*|{2}`, often a wrong one.

    A part is one of `ATOMS` (`a`, `\\w`) or one of `GROUPS` (`(?:...)`) with patterns inside. One
    of `QUANTIFIERS` (`*`, `{2}`) follows it. `depth` is the number of groups around the expression.
    """
    expression = ""
    for _ in range(rng.randrange(1, 5)):
        if depth < MAX_PATTERN_DEPTH and happens(rng, 30):
            expression += _filled_group(rng, rng.choice(GROUPS), depth)
        else:
            expression += rng.choice(ATOMS)
        expression += rng.choice(QUANTIFIERS)
    if happens(rng, 10):
        expression += word(rng)
    return expression


def _filled_group(rng: Random, group: str, depth: int) -> str:
    """Return a group of `GROUPS`, such as `({}|{})`, with a random pattern for each `{}`."""
    first_part, *further_parts = group.split("{}")
    filled = first_part
    for part in further_parts:
        filled += pattern(rng, depth + 1) + part
    return filled


# Random filters of the tool `jq`, which selects parts of JSON, for the fuzzer: `.[] | keys`.

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


def jq_filter(rng: Random) -> str:
    """Return a filter for `jq` of up to 6 parts, such as `.[] | keys`, often a wrong one."""
    separator = rng.choice(["", " | ", "|"])
    parts: list[str] = []
    for _ in range(rng.randrange(1, 7)):
        known_filter = rng.choice(JQ_FILTERS)
        parts.append(rng.choice([known_filter, word(rng)]))
    return separator.join(parts)


# Words of which random SQL is made: keywords, functions and tables of the embedded shop.
#
# SQL_KEYWORDS   ["select", "from", ...]
# SQL_FUNCTIONS  ["abs", ...], also those that a tool must not have, such as `readfile`
# SQL_TABLES     ["products", ...], also tables that do not exist


def words_of(text: str) -> list[str]:
    """Return `["select", "from"]` for `"select from"`."""
    return text.split()


# Words of SQL, and the tables of the embedded shop
SQL_KEYWORDS = words_of(
    "select from where join left cross natural on group by having order limit offset union all except intersect "
    "with recursive as values insert update delete create table view trigger drop pragma attach vacuum explain "
    "analyze begin case when then else end cast in exists between like glob regexp match null not and or is "
    "collate nocase distinct over partition rows unbounded preceding filter window returning materialized"
)

SQL_FUNCTIONS = words_of(
    "abs char coalesce count group_concat hex instr json json_each json_extract json_tree length like lower max "
    "min printf quote random randomblob replace round substr sum total trim typeof unhex unicode upper zeroblob "
    "strftime date julianday format iif nth_value ntile row_number load_extension readfile sqlite_version "
    "fts3_tokenizer"
)

SQL_TABLES = words_of(
    "products product_properties stores inventory incoming baskets basket_lines payments returns employees "
    "employee_roles sqlite_master pragma_table_info sqlite_schema generate_series t"
)


# Random SQL for the fuzzer, about the embedded shop. A tool must refuse a wrong query with an error.
#
# `sql_query(rng)` may return `select sku, abs(1) from products, t where id like 'a'`. Most are wrong.


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


def sql_query(rng: Random) -> str:
    """Return an SQL query: a selection, a recursive one, or SQL words in any order.

    `select sku from products`, `with recursive x(n) as (…) select n from x`, `join ( 1 where`
    """
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
    table_count = rng.randrange(1, 5)
    tables = ", ".join(rng.choice(SQL_TABLES) for _ in range(table_count))
    values = _sql_values(rng, rng.randrange(1, 4))
    selection = f"select {values} from {tables}"
    if happens(rng, 50):
        comparison = rng.choice(["=", "<", "like", "glob", "in", "||"])
        selection += f" where {_sql_value(rng)} {comparison} {_sql_value(rng)}"
    return selection


def _sql_word(rng: Random) -> str:
    """Return a keyword, an expression, a table or a sign."""
    keyword = rng.choice(SQL_KEYWORDS)
    table = rng.choice(SQL_TABLES)
    return rng.choice([keyword, _sql_value(rng), table, "(", ")", ","])


# Random arguments of the operation `exec`, which runs a tool of a workspace, for the fuzzer.
#
#     random_execution(rng, known_paths=["/bin/cat", "/a.csv"], path="/a.csv")
#     # {"path": "/bin/sql", "stdin": "select abs(1) from products, t"}, for example
#
# Most tools exist; most of what they are given is wrong.


def random_execution(
    rng: Random, known_paths: Sequence[str], path: str
) -> dict[str, Any]:
    """Return arguments of `exec`, which runs a tool: `{"path": "/bin/sql", "stdin": "select 1"}`.

    The tool is a known one, SQL or jq, or `path`, which may not be a tool at all.
    """
    tools = [known_path for known_path in known_paths if known_path.startswith("/bin/")]
    if not tools:
        tools = ["/bin/cat"]
    tool = rng.choice([*tools, "/bin/sql", "/bin/sql", "/bin/jq", path])
    if tool == "/bin/sql":
        query = sql_query(rng)
        if rng.random() < 0.5:
            return {"path": tool, "args": [query], "stdin": ""}
        return {"path": tool, "stdin": query}

    words = [jq_filter(rng), path]
    if tool != "/bin/jq":
        words = _random_words(rng, known_paths)
    return {"path": tool, "args": words, "stdin": generators.text(rng)}


def _random_words(rng: Random, known_paths: Sequence[str]) -> list[str]:
    """Return up to 4 words behind the name of a tool: `["--help", "/a.csv"]`."""
    words: list[str] = []
    for _ in range(rng.randrange(5)):
        word = generators.word(rng)
        path = random_path(rng, known_paths)
        words.append(rng.choice([word, path, "-", "--help"]))
    return words


# Random calls of operations, for fuzzer targets: reads, writes, searches and runs of tools.
#
# `random_arguments(rng, "read", known_paths=["/a.csv"], ...)` may return `{"path": "/a.csv#",
# "start_line": -1, "end_line": 0}`: a path that is nearly right, and a line that does not exist.

OPERATION_NAMES = [operation.name for operation in FILE_OPERATIONS]
"""`read`, `write`, `search`, `exec`, and so on."""


TextFor = Callable[[str], str]
"""Returns a random text to write to a path."""


def random_arguments(
    rng: Random, operation: str, *, known_paths: Sequence[str], text_for: TextFor
) -> dict[str, Any]:
    """Return arguments of an operation: `{"root": "/a.csv", "level": 99}` for `tree`.

    Most paths are known ones, as they are or nearly so. `text_for` makes the content of a `write`.
    """
    path = random_path(rng, known_paths)
    match operation:
        case "search":
            return {
                "pattern": pattern(rng),
                "root": path,
                "limit": rng.choice([0, 1, 10, -1]),
            }
        case "find":
            name_end = rng.choice(["", "*", "[", "?*" * 100])
            return {
                "name": generators.word(rng) + name_end,
                "root": path,
                "kind": rng.choice(["all", "files", "dirs", "x"]),
            }
        case "tree":
            return {"root": path, "level": rng.choice([0, 1, 2, 99, -1])}
        case "read":
            return {
                "path": path,
                "start_line": rng.randrange(-1, 9),
                "end_line": rng.choice([0, 1, 2**70]),
            }
        case "write":
            return {
                "path": path,
                "content": text_for(path),
                "if_match_sha256": rng.choice(["", "", generators.word(rng)]),
            }
        case "exec":
            return random_execution(rng, known_paths, path)
        case _:  # `list`, `delete` and others take only a path.
            return {"path": path}


# Random answers that a script may submit, and what calls may return, for the fuzzer.
#
# random_scratchpad(rng, ["/a.md"])
# # {"answer": "x", "outcome": 1e308, "refs_why": {"/A.MD": "sku"}, ...}


def random_scratchpad(rng: Random, known_paths: Sequence[str]) -> dict[str, Any]:
    """Return what a script may submit. It mostly cites `known_paths`."""
    citations: dict[str, str] = {}
    for _ in range(5):
        path = random_path(rng, known_paths)
        citations[path] = generators.text(rng)
    outcomes = ["OUTCOME_OK", "OUTCOME_DENIED_SECURITY", random_data(rng)]
    return {
        "answer": rng.choice([generators.text(rng), random_data(rng)]),
        "outcome": rng.choice(outcomes),
        "refs_why": rng.choice([citations, random_data(rng)]),
        "facts": random_data(rng),
        "tokens": random_data(rng),
        "changes": random_data(rng),
    }


def random_result(
    rng: Random, operation: Operation, known_paths: Sequence[str]
) -> dict[str, Any]:
    """Return the result of a call, whose fields are often of wrong types: `{"content": [null]}`."""
    result: dict[str, Any] = {
        field.name: random_data(rng) for field in operation.fields
    }
    if rng.random() < 0.5:
        result["path"] = random_path(rng, known_paths)
        result["content"] = generators.text(rng)
    return result


def random_error(rng: Random) -> CallError | None:
    """Return the error of a call that has failed, in a fifth of cases."""
    if rng.random() < 0.2:
        code = rng.choice(["not_found", "internal"])
        return CallError(code, generators.word(rng))
    return None


# The judging of random answers by all gates, for the fuzzer.
#
# Gates are checks of an answer that a script submits. They judge by the evidence of a trial: what it has
# read. Whatever the answer is, each gate has a verdict, or one verdict says why there is none.


def judge_random_answer(
    rng: Random, log: EvidenceLog, meter: CpuMeter, known_paths: Sequence[str]
) -> None:
    """Judge an answer that mostly cites `known_paths`.

    Raises `AssertionError` if a rule fails, or if the judging takes long.
    """
    scratchpad = random_scratchpad(rng, known_paths)
    submission = Submission.from_scratchpad(scratchpad, probe=None)
    # A task may demand a form of its answer, here such as "<COUNT:7>". A rule checks the form.
    demand = " Answer with the number only, <COUNT:%d>."
    case = Case(instruction=generators.text(rng) + demand, rules=generators.text(rng))

    def judge() -> Any:
        return find_verdicts(
            worker=None,  # The rules judge in this process, whose CPU time is measured.
            submission=submission,
            evidence=log.view(),
            case=case,
            rule_sets=("ecom",),
        )

    verdicts = meter.call(f"judge {scratchpad}", judge)

    is_judged_by_each_gate = len(verdicts) >= len(GATE_NAMES)
    if not is_judged_by_each_gate:
        # One verdict, `judging`, says why the gates have not judged, such as a too large answer.
        assert [verdict.name for verdict in verdicts] == ["judging"]
    for verdict in verdicts:
        # A rule that raises an exception does not stop the judging, but says so.
        assert not verdict.reason.startswith(RULE_FAILED), verdicts


# Fuzzer target: the evidence of a trial, citations of it, and the judging of what is submitted.
#
#     add_call(log, "read", {"path": "/a.md"}, {"content": "fee: 7"}, None)   a call, and its result
#     log.citations.check("/a.md", "the fee is 7")                           a citation
#     find_verdicts(submission, log.view(), ...)                             the judging of an answer
#
# Here the results, citations and answers are random. Nothing of this may raise an error of its own, or take
# long.

KNOWN_PATHS = (*FILES, "/proc", "/bin/id", "/bin/cat", "/bin/checkout")
"""Paths of files, folders and programs. Random paths are often like these."""


class Evidence(Target):
    """Plays an evidence log and the gates, which are checks of a submitted answer.

    Each input is a call and a citation. Every tenth one is an answer, too, and every 300th is the first
    of a new log.
    """

    def __init__(self, meter: CpuMeter) -> None:
        super().__init__(meter)
        self._input_count = 0

    def play_one(self, rng: Random) -> None:
        if self._input_count % 300 == 0:
            self._log = EvidenceLog(TOOL_SCHEMA)
        self._input_count += 1

        self._record_call(rng)
        self._cite(rng)
        if self._input_count % 10 == 0:
            judge_random_answer(rng, self._log, self.meter, KNOWN_PATHS)

    def _record_call(self, rng: Random) -> None:
        operation = rng.choice(TOOL_SCHEMA.operations)
        arguments = random_arguments(
            rng,
            operation.name,
            known_paths=KNOWN_PATHS,
            text_for=lambda path: generators.text(rng),
        )
        result = random_result(rng, operation, KNOWN_PATHS)
        error = random_error(rng)
        self.meter.call(
            f"record {operation.name}",
            lambda: add_call(self._log, operation.name, arguments, result, error),
        )

    def _cite(self, rng: Random) -> None:
        path = random_path(rng, KNOWN_PATHS)
        # A reason of fewer than 8 characters would be refused unread (`LEAST_REASON_CHARS`).
        reason = generators.text(rng) + " stock same day"
        with suppress(ValueError):  # This is how a citation is refused.
            self.meter.call(
                f"cite {path}", lambda: self._log.citations.check(path, reason)
            )


# Fuzzer target: random scripts over a folder of files, which run in a sandbox.
#
#     attempt(lambda: harness.read(**{"path": "/a.csv#", "start_line": -1, "end_line": 0}))
#
# A call may fail with an error for scripts, such as "there is no file /a.csv#". No call may crash or
# hang, or end the sandbox.

FOLDER_FILES = {
    "a.csv": "id,n\n1,2\n",
    "d/b.json": '{"id": 1}',
    "c.sql": "select 1;",
    "e.db": "not a database",
}


class Folder(Target):
    """A sandboxed process sends each call to the test's process, which reads or writes the file."""

    KNOWN_PATHS = ("/a.csv", "/d/b.json", "/c.sql", "/e.db", "/d", "/")
    CALLS_PER_SCRIPT = 8
    SCRIPT_HEAD = """
def attempt(call):
    try:
        call()
    except (HarnessError, FileNotFoundError, TypeError):
        pass
"""
    """Calls of a script may fail with these exceptions, and no others."""

    def __init__(self, meter: CpuMeter) -> None:
        super().__init__(meter)
        root = Path(self._resources.enter_context(TemporaryDirectory()))
        (root / "d").mkdir()
        for name, text in FOLDER_FILES.items():
            (root / name).write_text(text)
        host = FolderHost(root, datetime(2026, 1, 1, tzinfo=UTC))
        limits = Limits(step_wall_s=20.0)
        self._sandbox = self._resources.enter_context(
            Sandbox(host.tool_schema, host, now=NOW, seed=1, limits=limits)
        )

    def play_one(self, rng: Random) -> None:
        """Run a script of 8 calls such as `attempt(lambda: harness.list(**{'path': '/d'}))`."""

        script = self.SCRIPT_HEAD
        for _ in range(self.CALLS_PER_SCRIPT):
            operation = rng.choice(OPERATION_NAMES)
            arguments = random_arguments(
                rng,
                operation,
                known_paths=self.KNOWN_PATHS,
                # a damaged copy of `a.csv`, to write to any path
                text_for=lambda path: damaged_record(rng, FOLDER_FILES["a.csv"]),
            )
            script += f"attempt(lambda: harness.{operation}(**{arguments!r}))\n"

        result = self.meter.call(script, lambda: self._sandbox.run(script))

        # LIMIT: the script took too much time or memory, and was ended, as it should be.
        is_expected = result.ending in (Ending.FINISHED, Ending.LIMIT)
        assert is_expected, (result.error[:500], script[:2_000])


# Right frames, one of each kind, that a worker sends to its parent.
#
# A worker is a process that runs functions for its parent: `{"body": {"kind": "ok", "value": 3}}`.

WORKER_FRAMES: list[dict[str, Any]] = [
    {"body": {"kind": "ok", "value": {"content": "x"}}},
    {
        "body": {
            "kind": "fail",
            "code": "not_found",
            "message": "there is none",
            "is_last": True,
        }
    },
    {"body": {"kind": "question", "arguments": ["/a.md", "/b.md"]}},
]
"""The ends of a call, by a result and by an error, and a question that is asked during one."""


# Fuzzer targets: what a process that an attacker controls may send to its parent.
#
#     parent  <-- {"printed": "text"} --  child
#
# The product runs scripts, and workers that read files, in child processes, which send it *frames*: JSON
# objects. Here a thread plays the child, and sends right, damaged or junk frames. Whatever it sends, the
# parent must end the step of the script, or the call of the worker, quickly.


def random_messages(rng: Random, frames: list[dict[str, Any]]) -> list[bytes]:
    """Return 1 to 6 messages; each is one of the frames, mostly altered or damaged, or junk."""
    count = rng.randrange(1, 7)
    return [damaged_message(rng, frames) for _ in range(count)]


class ScriptFrames(Target):
    """Lets a script's process send forged frames, as if the script controlled its interpreter."""

    def __init__(self, meter: CpuMeter) -> None:
        super().__init__(meter)
        self._server = self._resources.enter_context(ForgedServer(["forged"]))

    def play_one(self, rng: Random) -> None:
        """Run a step. It must have a result, whatever it is."""
        messages = random_messages(rng, SCRIPT_FRAMES)
        with self._server.child_that_sends(messages):
            limits = Limits(step_wall_s=2.0, verify_s=1.0)
            sandbox = new_sandbox(self._server, limits=limits)
            result = self.meter.call(
                str(messages)[:300],  # what reports of failures show
                lambda: sandbox.run("pass"),
            )

        assert isinstance(result, StepResult)


class WorkerFrames(Target):
    """Lets a worker send forged frames, as if a hostile file controlled it."""

    def __init__(self, meter: CpuMeter) -> None:
        super().__init__(meter)
        self._server = self._resources.enter_context(ForgedServer(["forged"]))

    def play_one(self, rng: Random) -> None:
        """Call a function of the worker. It must return or raise `CallError`."""
        messages = random_messages(rng, WORKER_FRAMES)
        limits = WorkerLimits(call_wall_s=2.0)
        with (
            self._server.child_that_sends(messages),
            Worker(self._server, limits=limits) as worker,
            suppress(CallError),
        ):
            self.meter.call(
                str(messages)[:300],
                lambda: worker.call(
                    "forged:function", 1, serve=lambda question: "text"
                ),
            )


# Fuzzer targets: the commands that read the journal of a run, on journals that were damaged.
#
# A journal is a file with a JSON object a line, such as `{"type": "run_opened", ...}`. Users send
# each other journals. Showing, replaying or exporting one must not fail with anything but an error
# that is meant for users.


class Journals(Target):
    """Reads a damaged journal, and runs a command that shows, replays or compares it.

    Any exception but an error for users escapes, and is a failure of the input.
    """

    # {journal} is the damaged journal, {folder} its folder, {trial} the id of one of its trials,
    # and {sample} the undamaged journal.
    commands: tuple[str, ...] = (
        "show {journal}",
        "show {journal} --json",
        "show {journal} --follow",
        "show {journal} --follow --json",
        "replay {journal} --trial {trial}",
        "replay {journal} --trial {trial} --json",
        "compare {journal} {sample} --json",
        "runs --runs-dir {folder} --json",
    )

    def __init__(self, meter: CpuMeter) -> None:
        super().__init__(meter)
        self._folder = Path(self._resources.enter_context(TemporaryDirectory()))

    def play_one(self, rng: Random) -> None:
        """Damage the sample journal, read it, and run one of the commands on it."""
        journal = self._folder / "damaged.jsonl"
        write_damaged_journal(rng, journal)

        trial_ids = self.meter.call("read", lambda: read_trials(journal))

        command = rng.choice(self.commands)
        values = {
            "journal": journal,
            "folder": self._folder,
            "trial": trial_ids[0] if trial_ids else "no-such-trial",
            "sample": SAMPLE,
        }
        words = [word.format(**values) for word in command.split()]
        self.meter.call(command, lambda: run_command(words))


class Reports(Journals):
    """Writes an HTML page about a damaged journal."""

    commands = ("report {journal} -o {folder}/out.html",)


class Exports(Journals):
    """Writes a damaged journal as a table, or as OpenTelemetry traces."""

    commands = (
        "export {journal} --to {folder}/out.trials.csv",
        "export {journal} --to {folder}/out.otel.jsonl",
    )


# A trial of the embedded shop that the fuzzer plays against: its calls, and what reads its files.


class ShopTrial:
    """A trial of the embedded shop, with fresh records: its calls, and the worker that runs its tools.

    A worker is a process that is ended when one call has used 0.25 s of CPU. Call `end` at last.
    """

    LIMITS = WorkerLimits(call_cpu_s=0.25, trial_cpu_s=1e6)
    """All calls of the trial together may take any time."""

    def __init__(self, benchmark: Benchmark, server: ForkServer, attempt: int) -> None:
        """Start the trial. `attempt` is also the seed of the records."""
        task = TaskTry("basket-checkout.1", attempt)
        run = benchmark.start_run(RunRequest("fuzz", (task,), seed=attempt))
        self._benchmark = benchmark
        self._trial_id = run.trials[0].trial_id
        trial = benchmark.start_trial(self._trial_id)
        self._environment = trial.environment
        self._worker = Worker(server, limits=self.LIMITS)
        assert trial.use_worker is not None
        trial.use_worker(self._worker)

    def call(self, operation: str, arguments: dict[str, Any]) -> Any:
        """Return the result of a call. Raises `CallError`."""
        return self._environment.call(operation, arguments)

    def paths_of_files(self) -> list[str]:
        """Return the paths of all files of the shop."""
        all_files = {"name": "*", "root": "/", "kind": "files", "limit": 0}
        paths: list[str] = self.call("find", all_files)["paths"]
        return paths

    def text_at(self, path: str) -> str:
        """Return the text of a file, or an empty record if there is none."""
        try:
            return str(self.call("read", {"path": path})["content"])
        except CallError:
            return "{}"

    def result_of_ordinary_call(self) -> Any:
        """Return what jq makes of `{"n": 42}`. It must be the same after all other calls."""
        arguments = {"path": "/bin/jq", "args": [".n"], "stdin": '{"n": 42}'}
        return self.call("exec", arguments)

    def end(self) -> None:
        """End the trial, and its worker."""
        self._benchmark.end_trial(self._trial_id)
        self._worker.close()


# Fuzzer target: random calls of the embedded shop: its files, SQL and jq.
#
#     exec {"path": "/bin/jq", "args": [".[-1]|\"", "/proc/crew/emp_4.json#"]}
#
# A call may fail with an error for scripts, such as "there is no file ...", and must not crash, hang,
# or change what an ordinary call returns afterwards.


class Shop(Target):
    """Calls of a trial of the shop. Some of its records are those that earlier calls have written.

    A call may only fail with `CallError`, and must not change the result of an ordinary call.
    """

    CALLS_PER_TRIAL = 400
    """After so many calls, a new trial starts with fresh records."""
    CALLS_PER_CHECK = 40
    """After so many calls, the ordinary call is made."""

    def __init__(self, meter: CpuMeter) -> None:
        super().__init__(meter)
        opened = open_benchmark("", {}, BenchmarkContext())
        self._benchmark = opened.benchmark
        self._server = self._resources.enter_context(ForkServer(opened.worker_modules))
        self._start_trial(attempt=0)
        # Ends the trial that is the current one by then.
        self._resources.callback(lambda: self._trial.end())

    def _start_trial(self, attempt: int) -> None:
        """Play against a new trial from now on. The caller ends the one before."""
        self._trial = ShopTrial(self._benchmark, self._server, attempt)
        self._known_paths = self._trial.paths_of_files()
        self._ordinary_result = self._trial.result_of_ordinary_call()
        self._calls = 0

    def play_one(self, rng: Random) -> None:
        """Make one random call, and now and then the ordinary one or a new trial."""
        operation = rng.choice(OPERATION_NAMES)
        arguments = random_arguments(
            rng,
            operation,
            known_paths=self._known_paths,
            text_for=lambda path: damaged_record(rng, self._trial.text_at(path)),
        )

        with suppress(CallError):
            self.meter.call(
                f"{operation} {arguments}",
                lambda: self._trial.call(operation, arguments),
            )

        self._calls += 1
        if self._calls % self.CALLS_PER_CHECK == 0:
            assert self._trial.result_of_ordinary_call() == self._ordinary_result
        if self._calls == self.CALLS_PER_TRIAL:
            ended_trial = self._trial
            self._start_trial(rng.randrange(1_000))
            ended_trial.end()


# Fuzzer target: the text of a task file, `task.toml`, which somebody wrote for a benchmark.
#
#     instruction = "Please renew 'Bridges of the North' for me."      a task
#     instruction = "Please renew 'Bridges of the trees = ["../desk"]  an error for users
#
# Any text must give one of the two.


class TaskTexts(Target):
    """Task files of the examples, with random texts inserted or in place of a part."""

    def __init__(self, meter: CpuMeter) -> None:
        super().__init__(meter)
        paths = sorted((ROOT / "docs/examples/library").glob("*/task.toml"))
        self._samples = [path.read_text(encoding="utf-8") for path in paths]

    def play_one(self, rng: Random) -> None:
        """Parse the text of a task file that is damaged at up to 5 places.

        It is a task, or a `BenchmarkError`, which is meant for users.
        """
        text = rng.choice(self._samples)
        damage_count = rng.randrange(1, 6)
        for _ in range(damage_count):
            text = self._damaged(rng, text)
        try:
            text.encode()
        except UnicodeEncodeError:
            return  # A file on disk cannot have this text.

        with suppress(BenchmarkError):
            self.meter.call(text, TaskText(text, "t.toml").parsed)

    def _damaged(self, rng: Random, text: str) -> str:
        """Return the text with a random one inserted, or in place of up to 200 characters."""
        inserted_texts = [
            generators.word(rng),
            generators.text(rng),
            pattern(rng),
            rng.choice(self._samples),
        ]
        start = rng.randrange(len(text) + 1)
        end = start + rng.choice([0, 0, 1, 9, 200])
        return text[:start] + rng.choice(inserted_texts) + text[end:]


TARGETS: dict[str, Callable[[CpuMeter], Target]] = {
    "shop": Shop,
    "folder": Folder,
    "script-frames": ScriptFrames,
    "worker-frames": WorkerFrames,
    "evidence": Evidence,
    "wire-requests": WireRequests,
    "task-texts": TaskTexts,
    "journals": Journals,
    "reports": Reports,
    "exports": Exports,
}
"""The targets by the names that `python -m tests.fuzz --target NAME` takes."""
