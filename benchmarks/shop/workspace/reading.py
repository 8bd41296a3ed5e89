"""Reads a workspace with calls of `harness`: who asks, lists of files, searches, files, output of tools."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from posixpath import normpath, splitext
from typing import Any, Final, TypeAlias

import re2

from controlplane.benchmarks.shop.texts import (
    BARE_LETTERS,
    TRANSCRIBED_LETTERS,
    normal_words,
    require,
)
from controlplane.gates.paths import record_id
from controlplane.gates.text_folding import fold_text
from controlplane.sandbox.functions import Call, CannotRead, Harness, Outcome
from controlplane.sandbox.interface import CallError, error_codes, is_truncated

# Reads a workspace with calls of `harness`: lists of files, searches, files, output of tools.
#
# A `harness` is the object with which a script makes calls. Environments limit what one call
# returns, so long files are read in parts, and a truncated result is refused.

# The calls that were made in a workspace, with their outcomes, so that none is made twice.
#
# A call is an operation with its arguments, such as `read` with `{"path": "/AGENTS.md"}`. Its
# outcome is a result or an error.

_TIMED_OUT: Final = 124
"""The exit code of a tool that timed out, as in `timeout(1)`."""


class _MadeCalls:
    """Makes calls with `harness` and remembers their outcomes.

    It also knows the calls that the trial made earlier: `harness.known`.
    """

    def __init__(self, harness: Harness) -> None:
        self._harness = harness
        self._outcomes: dict[str, Outcome] = {}
        """The result or error of each call, by `_key`."""
        for operation, arguments, outcome in harness.known:
            self._outcomes[_key((operation, arguments))] = outcome

    def result(self, call: Call) -> Mapping[str, Any]:
        """Return the result of one call. Raises `CannotRead` if it fails."""
        outcome = self.outcomes([call])[0]
        if isinstance(outcome, CallError):
            raise CannotRead(outcome.message)
        return outcome

    def outcomes(self, calls: Sequence[Call]) -> list[Outcome]:
        """Return the results or errors of calls, in order. New calls are made in parallel.

        If a new call runs a tool that times out, the tool is run once more. A known call is
        never repeated, even if it timed out.
        """
        new_calls = {}
        for call in calls:
            key = _key(call)
            if key not in self._outcomes:
                new_calls[key] = call
        self._make(new_calls)

        timed_out = {}
        for key, call in new_calls.items():
            outcome = self._outcomes[key]
            if not isinstance(outcome, Mapping):
                continue
            if outcome.get("exit_code") == _TIMED_OUT:
                timed_out[key] = call
        self._make(timed_out)
        return [self._outcomes[_key(call)] for call in calls]

    def _make(self, calls: Mapping[str, Call]) -> None:
        """Make calls, given by their keys, and keep their outcomes."""
        if calls:
            outcomes = self._harness.side_by_side(list(calls.values()))
            self._outcomes.update(zip(calls, outcomes, strict=True))


def _key(call: Call) -> str:
    """Return a text that is the same for equal calls, an operation and its arguments."""
    operation, arguments = call
    return repr((operation, sorted(arguments.items())))


_FoundLine: TypeAlias = tuple[str, str]
"""The path of a file, and the text of a line in it that a search has found."""


class WorkspaceReader:
    """Reads lists of files, files and the output of tools. No call is made twice.

    Every method raises `CannotRead` if a call fails or its result is truncated. A `harness` makes
    the calls: `find`, `tree`, `search`, `read`, and `exec`, which runs a tool.
    """

    def __init__(self, harness: Harness) -> None:
        self.tools = harness.executables
        """Short descriptions of the environment's declared tools, by path."""
        self._calls = _MadeCalls(harness)

    def paths(self, root: str = "/") -> Sequence[str]:
        """Return the paths of all files below a folder.

        They come from the operation `find` or, if its result is truncated, from `tree`.
        """
        no_limit = 0
        arguments = {"name": "*", "root": root, "kind": "files", "limit": no_limit}
        listing = self._calls.result(("find", arguments))
        if not is_truncated(listing):
            return tuple(str(path) for path in listing["paths"])
        tree = self._calls.result(("tree", {"root": root, "level": no_limit}))
        return tuple(_files_below(tree, root.rstrip("/")))

    def search(self, pattern: str, root: str = "/") -> Sequence[_FoundLine]:
        """Return the lines that a pattern matches, in files below a folder."""
        no_limit = 0
        arguments = {"pattern": pattern, "root": root, "limit": no_limit}
        result = self._calls.result(("search", arguments))
        is_whole = not is_truncated(result)
        require(is_whole, f"search {pattern}: what came back is truncated")
        lines = []
        for match in result["matches"]:
            lines.append((str(match["path"]), str(match["text"])))
        return tuple(lines)

    def read(self, path: str) -> str:
        """Return the text of a file. Raises `LookupError` if the file does not exist."""
        return self.read_all([path])[0]

    def read_all(self, paths: Sequence[str]) -> list[str]:
        """Return the texts of several files. Raises `LookupError` if one does not exist.

        They are read in parallel, and long files in several parts.
        """
        files = [_FileInParts(path) for path in paths]
        unfinished = files
        while unfinished:
            # Each round reads the next part of all files that are not at their end.
            calls = [file.next_read() for file in unfinished]
            outcomes = self._calls.outcomes(calls)
            for file, outcome in zip(unfinished, outcomes, strict=True):
                file.add_part(outcome)
            unfinished = [file for file in unfinished if not file.is_whole]
        return [file.text for file in files]

    def run(self, tool: str) -> str:
        """Return the output of a tool that only reads. Raises `CannotRead` if the tool fails."""
        arguments = {"path": tool, "args": [], "stdin": ""}
        result = self._calls.result(("exec", arguments))
        exit_code = result["exit_code"]
        require(exit_code == 0, f"{tool} ended with exit code {exit_code}")
        return str(result["stdout"])


class _FileInParts:
    """A file that is read in parts, because one call returns a limited number of lines.

    Call `next_read`, make that call, and give its outcome to `add_part`, until `is_whole`.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.text = ""
        """The parts that have been read."""
        self.is_whole = False

    def next_read(self) -> Call:
        """Return the call, an operation and its arguments, that reads the next part."""
        arguments: dict[str, Any] = {"path": self.path}
        if self.text:
            arguments["start_line"] = self.text.count("\n") + 1
        return "read", arguments

    def add_part(self, outcome: Outcome) -> None:
        """Add the part that a call returned.

        Raises `LookupError` if the file does not exist, and `CannotRead` if the call failed.
        """
        if isinstance(outcome, CallError):
            if outcome.code == error_codes.NOT_FOUND:
                raise LookupError(str(outcome))
            raise CannotRead(outcome.message)
        part = str(outcome["content"])
        self.text += part
        self.is_whole = not is_truncated(outcome)
        if not self.is_whole:
            # The next call starts at a line. So if this part is empty, or ends in the middle of a
            # very long line, the rest cannot be read.
            ends_with_line = part.endswith("\n")
            require(ends_with_line, f"read {self.path}: what came back is truncated")


def _files_below(node: Mapping[str, Any], path: str) -> Iterator[str]:
    """Yield the paths of the files in a node of a tree. `path` is the path of the node.

    `{"children": [{"name": "a.md"}]}`, `/docs` -> `/docs/a.md`
    """
    for child in node.get("children") or ():
        child_path = f"{path}/{child['name']}"
        if child.get("is_dir"):
            yield from _files_below(child, child_path)
        else:
            yield child_path


# The person who is signed in (the asker), and whose records this person may see.
#
# A shop's identity tool prints two lines, `user: cust-7` and `roles: customer`. A customer may see
# only their own records, staff all of them.

# Compares the ids of records in any spelling.
#
# - `folded_id` is for ids that are written in full: `Basket-057` is `basket_057`, but
#   `basket_57` is not.
# - `loose_id` is for ids in requests, which people shorten: `basket 57` is `basket_057`.
# - `id_of` takes the id from a path.

_NUMBERED: Final = re.compile(r"^(.*?)[_-]?0*(\d+)$")
"""An id that ends with a number, perhaps with leading zeros: `basket_057`."""


def folded_id(name: str) -> str:
    """Return an id without case, blanks and separators: `Basket-057` -> `basket057`.

    Leading zeros stay, because two ids may differ only by them.
    """
    return "".join(name.replace("-", "").replace("_", "").split()).casefold()


def is_same_id(left: str, right: str) -> bool:
    """Return True if two ids are equal except for case, blanks and separators.

    Empty ids are never equal.
    """
    return bool(folded_id(left)) and folded_id(left) == folded_id(right)


def loose_id(name: str) -> str:
    """Return an id in the one spelling for all that people use for it.

    They often leave out its separator and leading zeros. `basket_057`, `basket-57` and
    `Basket57` all become `basket#57`.
    """
    match = _NUMBERED.match(name.casefold())
    if match is None:
        return name.casefold()
    return f"{match[1]}#{match[2]}"


def id_of(name: str) -> str:
    """Return the id at the end of a path, or the name itself if it is not a path."""
    return record_id(name) if name.startswith("/") else name


_CUSTOMER: Final = "customer"
_GUESTS: Final = frozenset({"guest", "anonymous"})
"""Roles of people who are not signed in."""


@dataclass(frozen=True, slots=True)
class Identity:
    """The person who is signed in, and their roles, as the identity tool prints them."""

    user: str
    """The person's id: `cust-7`, `emp_0001`."""
    roles: frozenset[str]
    """In lower case. Any role other than customer and guest is a role of staff."""

    @property
    def is_staff(self) -> bool:
        """True for a member of staff."""
        return bool(self.roles - _GUESTS - {_CUSTOMER})

    @property
    def is_customer(self) -> bool:
        """True for a customer who is not also a member of staff."""
        return _CUSTOMER in self.roles and not self.is_staff

    @property
    def is_outside(self) -> bool:
        """True for a customer or a guest.

        False if no role is known: such a person may be a member of staff.
        """
        return bool(self.roles) and not self.is_staff

    @property
    def is_guest(self) -> bool:
        """True for a person who is neither a customer nor a member of staff."""
        return self.is_outside and not self.is_customer

    def may_see(self, owner: str | None) -> bool:
        """Return True if the person may see, and therefore cite, a record with this owner.

        Staff may see all records. Others may see records without an owner, and
        customers their own.
        """
        if self.is_staff or not owner:
            return True
        return self.owns(owner)

    def owns(self, owner: str) -> bool:
        """Return True if this is the customer to whom a record with this owner belongs."""
        return self.is_customer and is_same_id(self.user, owner)


ANY_STAFF: Final = Identity("", frozenset({"staff"}))
"""An identity that may see every record."""
_LINE: Final = re.compile(r"(?m)^\s*(user|roles?)\s*[:=]\s*(.*)$", re.IGNORECASE)
_ROLE_SEPARATOR: Final = re.compile(r"[,;\s]+")


def read_identity(text: str) -> Identity:
    """Return the identity in the output of an identity tool; missing parts are empty.

    "user: emp_0001\\nroles: ['Employee', 'Packer']"
    -> user `emp_0001`, roles `employee`, `packer`
    """
    user = ""
    roles_text = ""
    for key, value in _LINE.findall(text):
        if key.casefold() == "user":
            user = value.strip()
        else:
            roles_text = value.strip()
    roles = set()
    for role in _ROLE_SEPARATOR.split(roles_text.casefold().strip("[] ")):
        if role:
            roles.add(role.strip("'\""))
    return Identity(user, frozenset(roles))


# The list of a workspace's files, which finds the file that a misspelled path means.
#
# `//docs/./Returns.MD` means `/docs/returns.md`. For a path that means no file, a message names the
# closest ones.

_MAX_COMPARED_CHARS: Final = 100
"""The most characters of a name that are compared, because comparing long names is slow."""


class FileList:
    """The paths of all files. They are listed when they are first needed."""

    def __init__(self, reader: WorkspaceReader) -> None:
        self.reader = reader

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The paths of all files."""
        return tuple(self.reader.paths())

    @cached_property
    def path_set(self) -> frozenset[str]:
        """The same paths, to look one up quickly."""
        return frozenset(self.paths)

    def text_of(self, path: str) -> str:
        """Return the whole text of a file.

        Raises `CannotRead`, with the closest paths, if it does not exist.
        """
        try:
            return self.reader.read(path)
        except LookupError:
            msg = f"there is no file {path}; closest: {self.closest(path)}"
            raise CannotRead(msg) from None

    def spelled(self, path: str) -> str:
        """Return a path as the list of files or the declared tools spell it.

        Case, slashes and dots may differ: `//docs/./Returns.MD` -> `/docs/returns.md`.
        An unknown path is only normalized.
        """
        normal = normpath(f"/{path.lstrip('/')}")
        if normal in self.path_set or normal in self.reader.tools:
            return normal
        folded = normal.casefold()
        for known_path in (*self.reader.tools, *self.paths):
            if known_path.casefold() == folded:
                return known_path
        return normal

    def closest(self, name: str, among: Sequence[str] = ()) -> str:
        """Return the three paths with the names most like a given name, as a text for a message.

        `basket 2` -> `/proc/carts/basket_0002.json, ...`. The name may be a path. Only paths with
        the same extension count, or with `.json` if the name has none. Without any, the result
        is `none`.
        """
        extension = splitext(name)[1].casefold() or ".json"
        # The names of files are compared without folder, extension and separators: `basket0002`.
        path_by_id = {}
        for path in among or self.paths:
            if path.casefold().endswith(extension):
                path_by_id[folded_id(record_id(path))] = path
        wanted_id = folded_id(id_of(name))[:_MAX_COMPARED_CHARS]
        close_ids = get_close_matches(wanted_id, path_by_id, n=3, cutoff=0)
        return ", ".join(path_by_id[close_id] for close_id in close_ids) or "none"


# The patterns of searches for words through a workspace's files.
#
# The environment searches with RE2, which knows only ASCII letters as parts of words. So its search
# for the word `rub` also finds the line "rubéole". `WordSearch.keeps`, which uses Python's `re`,
# sorts out such lines:
#
#     search = WordSearch(["rub"])
#     [line for line in lines_found_by(search.pattern) if search.keeps(line)]

_BETWEEN_WORDS: Final = "[^0-9A-Za-z]"
_BEFORE: Final = f"(?:^|{_BETWEEN_WORDS})"
_AFTER: Final = f"(?:{_BETWEEN_WORDS}|$)"
_BLANKS: Final = r"[ \t]*"


@dataclass(frozen=True)
class WordSearch:
    """A search for words one after another. Case, separators and their accents do not matter.

    The words `["led", "röhre"]` are found in `LED-Röhre` and `led roehre`. The caller gives
    `pattern` to the environment's search, and keeps the lines that `keeps` accepts.
    """

    words: Sequence[str]
    """In lower case."""

    @cached_property
    def _word_patterns(self) -> list[str]:
        """The pattern of each word, which matches it with or without accents."""
        patterns = []
        for word in self.words:
            patterns.append("".join(_letter_pattern(letter) for letter in word))
        return patterns

    @property
    def pattern(self) -> str:
        """The pattern for the environment's search. All but ASCII letters and digits separate."""
        words = f"{_BETWEEN_WORDS}*".join(self._word_patterns)
        return f"(?i){_BEFORE}{words}{_AFTER}"

    @cached_property
    def _strict_pattern(self) -> re.Pattern[str]:
        """The pattern for `keeps`. No letter or digit of any script may be next to the words."""
        words = r"[\W_]*".join(self._word_patterns)
        letter_or_digit = r"[^\W_]"
        return re.compile(rf"(?i)(?<!{letter_or_digit}){words}(?!{letter_or_digit})")

    def keeps(self, line: str) -> bool:
        """Return True if a matched line has the words as whole words: `lamp`, not `lampshade`."""
        return self._strict_pattern.search(line) is not None


def _letter_pattern(letter: str) -> str:
    """Return a pattern of all the ways in which files may spell a letter.

    For `ö`, they are `ö`, its escapes in JSON (`\\u00f6`, and `\\u00d6` for the capital), `o`
    without the accent, and `oe`.
    """
    if letter.isascii():
        return str(re2.escape(letter))
    spellings = [re2.escape(letter)]
    for case in (letter, letter.upper()):
        if len(case) == 1:  # The capital of `ß` is `SS`, which needs no escape.
            spellings.append(rf"\\u{ord(case):04x}")
    without_accent = fold_text(letter.translate(BARE_LETTERS))
    spellings.append(re2.escape(without_accent))
    spellings.append(letter.translate(TRANSCRIBED_LETTERS))
    return f"(?:{'|'.join(spellings)})"


def text_field_pattern(keys: Iterable[str]) -> str:
    """Return a pattern for lines of JSON records with one of these keys and a text as its value.

    `["status"]` -> the pattern of `"status": "`, with any blanks after the colon
    """
    return f'"(?:{"|".join(map(re2.escape, keys))})":{_BLANKS}"'


def field_pattern(key: str) -> str:
    """Return a pattern for lines of a JSON record with this key."""
    return f'"{re2.escape(key)}":'


# Finds out which of a workspace's tools is used for what, by words in names and summaries.
#
# The tool for checkouts may be `/bin/checkout` in one shop, and `/bin/till` with the summary
# "buys a basket" in another. Its use is `checkout` in both.

IDENTITY: Final = "identity"
"""The use of the tool that prints who is signed in."""
CLOCK: Final = "clock"
"""The use of the tool that prints the time."""
SUBJECTS: Final = ("checkout", "discounts", "returns", "verification", "stock")
"""The other uses. Shops have a policy, a document with rules, for most of them."""
_WORDS_OF_USES: Final = {
    IDENTITY: "id whoami who identity signed user roles",
    CLOCK: "date clock time now",
    "checkout": "checkout check checks buy buys purchase",
    "discounts": "discount discounts",
    "returns": "refund refunds return returns",
    "verification": "verification verifications verify payments",
    "stock": "availability available stock sell",
}
"""Words in the names or summaries of the tools for each use."""


def tools_by_use(tools: Mapping[str, str]) -> dict[str, str]:
    """Return the tool for each use: the one with the most words of the use in its name and summary.

    `tools` are summaries by path: `{"/bin/id": "who is signed in", "/bin/date": ""}` ->
    `{"identity": "/bin/id", "clock": "/bin/date"}`. If two tools have equally many words,
    the use has no tool.
    """
    words_by_tool: dict[str, set[str]] = {}
    for path, summary in tools.items():
        name = path.rsplit("/", 1)[-1]
        words_by_tool[path] = set(normal_words(f"{name} {summary}").split())
    by_use = {}
    for use, words in _WORDS_OF_USES.items():
        tool = _best_tool(words_by_tool, set(words.split()))
        if tool is not None:
            by_use[use] = tool
    return by_use


def _best_tool(words_by_tool: Mapping[str, set[str]], wanted: set[str]) -> str | None:
    """Return the tool with the most wanted words.

    The result is None if no tool has any, or if several have equally many.
    """
    best_tools: list[str] = []
    most_words = 0
    for path, words in words_by_tool.items():
        count = len(words & wanted)
        if count > most_words:
            best_tools = [path]
            most_words = count
        elif count and count == most_words:
            best_tools.append(path)
    return best_tools[0] if len(best_tools) == 1 else None


def possible_tools(paths: Iterable[str]) -> dict[str, str]:
    """Return the paths that may be tools, with empty summaries.

    This is for environments that declare no tools. A tool has no extension and is not a
    folder.
    """
    all_paths = list(paths)
    folders: set[str] = set()
    for path in all_paths:
        folders.update(folders_above(path))
    tools = {}
    for path in all_paths:
        file_name = path.rpartition("/")[2]
        if path not in folders and "." not in file_name:
            tools[path] = ""
    return tools


def folders_above(path: str) -> Iterator[str]:
    """Yield a file's folders except the root: `/docs/a/b.md` -> `/docs/a`, `/docs`."""
    folder = path.rpartition("/")[0]
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
