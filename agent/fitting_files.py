"""The files that trees list, and the documents and records that the first message shows because they fit the request.

SQLite's FTS5 ranks them, by the words of the request and the words that the rules have for paths.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

import re2

from controlplane.agent.evidence.recorder import CallUnderWay
from controlplane.agent.initial_calls import InitialCalls, SectionWriter
from controlplane.sandbox.interface import InitialCall, NamedFiles, Operation, Plain, bounds

FIT, CLOSE = 0.25, 0.75
"""The shares of the best score at which a file fits, and at which a document comes before those that the best one links
to."""
LEAST_CHARS: Final = 250
"""Min room for which a file is shown for its name."""
_DAY: Final = re2.compile(r"\d{4}-\d\d-\d\d")
_ID: Final = re2.compile(r"\pL+[-_]\pN+")


class FittingFiles:
    """The documents and records that the prompt shows because they fit the request.

    First come those that the request names by exact id or path, then what these link to, then the others by how well
    their names, the rules' words for them, and what is known of their texts fit.
    """

    def __init__(
        self,
        calls: InitialCalls,
        writer: SectionWriter,
        facts: RequestFacts,
        documents: list[tuple[InitialCall, Operation, str]],
        table: sqlite3.Connection,
    ) -> None:
        """`table` is that of `text_table`."""
        self._calls, self._writer, self._facts, self._table = calls, writer, facts, table
        self.pages = [name for *_, name in documents]
        call = documents[0][0] if documents else InitialCall("")
        self._page_read = documents[0][1] if documents else None
        self._page_room = min(call.fitting_chars or 0, writer.left)
        self._page_root = str(call.each_of.arguments.get("root") or "/") if call.each_of else "/"
        self._named = calls.tool_schema.named_files or NamedFiles((), most=0)
        self._read = calls.tool_schema.operation(self._named.read)
        request, asker = facts.instruction, "\n".join(facts.outputs)
        first = request.strip().partition("\n")[0]  # Later lines may be another's note.
        hidden = {
            *self.pages,
            *(str(call.call.arguments.get("path")) for call in self._calls.begun),
        }
        roots = tuple(root.rstrip("/") + "/" for root in self._named.roots)
        self._records: dict[str, None] = {}
        """The files below the roots, which count by their names as well as by their paths."""
        self._by_name: dict[str, list[str]] = defaultdict(list)
        listed = [
            file for file in facts.listed.files if file not in hidden and not file.endswith(CUT)
        ]
        for file in listed:
            name = _folded(file)
            self._by_name[name.strip("/")].append(file)
            if file.startswith(roots):
                self._records[file] = None
                self._by_name[name.rpartition("/")[2].partition(".")[0]].append(file)
        self._asked = self._named_in(request)
        self._exact = [*dict.fromkeys([*self._asked, *self._named_in(asker)])]
        asked_paths = paths_in(first)
        self._asked_pages = [name for name in self.pages if name in asked_paths]
        ids = words_of(request if self._asked else f"{request}\n{asker}")
        self._ids = [word for word in ids if _ID.match(word)]
        self._words = words_of(first)
        self._subjects = subjects_of(facts.rules)
        routed = {path.rpartition("/")[0] for path in self._subjects}
        folders = {path for path in paths_in(facts.rules) if path not in self.pages} - routed
        self._notices = [
            name for name in self.pages if name.rpartition("/")[0] in folders and _DAY.search(name)
        ]
        """The documents with a date in their names, in folders that the rules name apart from their documents."""
        self._query = [*self._words, *self._words_for(self._asked)]
        self._searches: list[CallUnderWay] = []
        self._known: dict[str, str] = {}
        """What is known of the text of each document."""
        self._best_pages: list[str] = []
        self._shown: list[str] = []
        """The records that are named, those that they link to, and those that fit, best first."""

    def _named_in(self, text: str) -> list[str]:
        """Return the files whose path or name, as an exact id, is in `text`, in the order of the text."""
        files: dict[str, None] = {}
        for token in text[:100_000].translate(BETWEEN_NAMES).split():
            files.update(dict.fromkeys(self._by_name.get(_folded(token.strip(".-_/")), ())))
        return [*files]

    def search(self) -> None:
        """Begin to read the named files, and to search records and documents for words of the request."""
        self._calls.read(self._read, self._exact, self._named.most)
        rules, listed = self._facts.rules.casefold(), self._facts.listed
        # Max words that are looked for in records.
        terms = [
            *dict.fromkeys(
                [*self._ids, *(word for word in self._words if beginning_of(word) not in rules)]
            )
        ][:16]
        searched = [
            (root, lines_pattern(terms))
            for root in self._named.roots
            if terms and listed.below(root) != []
        ]
        if self.pages and self._query:
            beginnings = sorted(set(map(beginning_of, self._query)))
            searched.append((self._page_root, lines_pattern(beginnings)))
        for root, pattern in (
            searched if self._calls.tool_schema.operation(self._named.search) else ()
        ):
            # At most 1,000 lines each.
            call = self._calls.send(
                self._named.search, {"pattern": pattern, "root": root, "limit": 1_000}
            )
            self._searches.append(call)

    def read(self) -> None:
        """Begin to read the documents that fit best, what the named files link to, and the records that fit."""
        lines, texts = self._found_lines(), self._calls.texts(self._read, self._asked)
        names = {path: path.casefold() for path in self._records}
        every = "\n".join(names.values())
        beginnings = [word for word in map(beginning_of, self._words) if word in every]
        named = [path for path, name in names.items() if any(word in name for word in beginnings)]
        found = [path for path in lines if path in self._records]
        known = {path: (path, lines.get(path, "")) for path in [*named, *found]}
        scores = scores_of(self._table, known, [*self._words, *self._ids], len(self._records))
        ranked = [path for path in scores if path not in self._exact]
        best = [path for path in ranked if scores[path] >= FIT * scores[ranked[0]]]
        if not self._asked:
            self._query += self._words_for(best[:2])
        self._rank_pages({name: lines.get(name, "") for name in self.pages})
        self._calls.read(
            self._page_read, [*self._asked_pages, *self._best_pages[:3]], self._calls.spare
        )
        links = [path for text in texts.values() for path in self._named_in(text)]
        self._shown = [*dict.fromkeys([*self._exact, *links, *best])][: self._named.most]
        # Four calls are kept for the last batch.
        self._calls.read(self._read, self._shown, self._calls.spare - 4)

    def _found_lines(self) -> dict[str, str]:
        """Return the lines that the searches found, by path."""
        lines: dict[str, str] = {}
        for call in self._searches:
            matches = self._calls.result(call).get("matches")
            for row in matches if isinstance(matches, list) else ():
                if isinstance(row, dict):
                    lines[str(row.get("path"))] = (
                        f"{lines.get(str(row.get('path')), '')}{row.get('text', '')}\n"
                    )
        return lines

    def _words_for(self, records: Iterable[str]) -> list[str]:
        """Return the words that the rules have for the folders of some records."""
        paths = [
            path for path in self._subjects if any(name.startswith(f"{path}/") for name in records)
        ]
        return words_of(" ".join(self._subjects[path] for path in paths))

    def _rank_pages(self, texts: Mapping[str, str]) -> list[str]:
        """Rank the documents by what is known of their texts, and return those that are close to the best one.

        If none fits, those come first that the rules name.
        """
        self._known |= texts
        titles = {
            name: f"{self._subjects.get(name, '')} {name.rpartition('/')[2]}" for name in self.pages
        }
        known = {name: (title, self._known[name]) for name, title in titles.items()}
        scores = scores_of(self._table, known, self._query)
        routed = self._subjects.keys() & {*self.pages} if self._asked else {*self.pages}
        ranked = [name for name in scores if name in routed]
        least = scores[ranked[0]] if ranked else 0
        ranked = [name for name in ranked if name not in self._notices]
        otherwise = [name for name in self._subjects if name in self.pages] or self.pages
        self._best_pages = [name for name in ranked if scores[name] >= FIT * least] or otherwise
        return [name for name in ranked if scores[name] >= CLOSE * least] or otherwise

    def chosen(self) -> dict[str, str]:
        """Return the documents to show among those that were read: what the best one links to before the others."""
        texts = self._calls.texts(self._page_read, self.pages)
        close = self._rank_pages(texts)
        ranked = [name for name in [*self._asked_pages, *self._best_pages] if name in texts]
        linked = [
            name
            for name in texts
            if ranked and name in texts[ranked[0]] and name not in self._notices
        ]
        room, chosen = self._page_room, dict[str, str]()
        for name in dict.fromkeys([*self._asked_pages, *close, *linked, *ranked]):
            if name in texts and (len(texts[name]) <= room or not chosen):
                chosen[name] = texts[name]
                room -= len(texts[name])
        return chosen

    def read_linked(self, best: str) -> None:
        """Begin to read the newest notices, what the text of the best document links to, and the next best."""
        linked = [name for name in self.pages if name in best]
        # The newest notices.
        further = dict.fromkeys([*self._notices[-8:], *linked, *self._best_pages[:5]])
        self._calls.read(self._page_read, further, self._calls.spare)

    def _state_of(self, name: str) -> str:
        """Return whether a notice is in force, by the last date that the tools that were called first printed."""
        days, today = (
            _DAY.findall(name.rpartition("/")[2]),
            _DAY.findall("\n".join(self._facts.outputs)),
        )
        if not today or name not in self._notices:
            return ""
        return " (in force)" if days[0] <= today[-1] else " (not yet in force)"

    def show_documents(self, chosen: Mapping[str, str]) -> None:
        """Show the chosen documents, the notices about them or about no page, and failures; name the others."""
        room, texts = self._page_room, self._calls.texts(self._page_read, self.pages)
        pages, others, notices = self._subjects.keys() & {*self.pages}, 0, list[str]()
        for name in self.pages:
            call, state = self._calls.sent(self._page_read, name), self._state_of(name)
            is_due = (
                name in self._notices
                and {page for page in pages if page in texts.get(name, "")} <= chosen.keys()
            )
            if self._page_read and call and (name in chosen or is_due or name not in texts):
                most = self._page_room if name in self._notices else room
                used = self._writer.show(self._page_read, call, most, fits=state)
                room -= 0 if name in self._notices else used
            elif state:
                notices.append(f"{name}{state}")
            else:
                others += 1
        if others or notices:
            listed = "; ".join([f"{others} documents of {self._page_root}", *notices])
            self._writer.say(f"(Not shown: {listed}.)\n")

    def show_records(self) -> None:
        """Show the records, named ones first, as long as there is room."""
        each, room, writer = self._named.each_chars, self._named.chars, self._writer
        # Characters around the text of a file: its title, and the notice of a cut.
        share = max(room // (len(self._exact) + 1) - 160, LEAST_CHARS // 2)
        for path in self._shown:
            chars = share if path in self._exact else min(share, each)
            if min(room, writer.left) < min(chars, LEAST_CHARS):
                return
            if self._read and (call := self._calls.sent(self._read, path)):
                room -= writer.show(self._read, call, min(chars, room), fits="")


def _folded(name: str) -> str:
    return name.casefold().replace("_", "-")


BETWEEN_NAMES: Final = str.maketrans(dict.fromkeys("`'\"()[]{}<>,;:!?*#|=+&%$@~^\\", " "))
"""The marks between paths and names, as blanks."""
LEAST_ROUTED: Final = 3
"""Min paths of a passage of the rules that leads to documents."""
_BLANKS: Final = str.maketrans(
    dict.fromkeys("`'\"()[]{}<>,;:!?*#|=+&%$@~^\\./’‘“”„«»–—…¿¡\n\t", " ")
)
"""Marks between words, as blanks; a hyphen or underscore joins the parts of an id or code."""
_NO_MARKUP: Final = str.maketrans(dict.fromkeys("`*_"))
_PASSAGE: Final = re2.compile(r"\n\s*\n|\n\s*(?:[-*#]|\d+[.)])\s|\n\*\*")
_COMMON_WORDS: Final = """
about all also and answer any are bit but can code could did different does exactly find for form format from give has
have how into its just less like line look many more most much need next not nothing now number one ones only other our
out own plain please put reply same say see should show some take tell than that the them then there these they thing
things this those two value want was way were what when where which who will with work would yes yet you your
"""
COMMON: Final = frozenset(_COMMON_WORDS.split())
"""English words that ask for an answer or its form and say nothing about the subject of a request."""


def text_table() -> sqlite3.Connection:
    """Return a connection to an empty table for `scores_of`, in memory; the caller closes it."""
    table = sqlite3.connect(":memory:", isolation_level=None)
    table.execute(
        "create virtual table texts using fts5(title, text, content='', tokenize='porter unicode61')"
    )
    return table


def scores_of(
    table: sqlite3.Connection,
    texts: Mapping[str, tuple[str, str]],
    words: Iterable[str],
    beside: int = 0,
) -> dict[str, float]:
    """Return the score of each name whose title or text holds one of the words, best first.

    Words count in any form (`loan`, `loans`), by how rare they are among the texts and as many others as are `beside`.
    """
    query = " OR ".join(f'"{word}"' for word in list(dict.fromkeys(words))[:200])
    query = query.replace("\0", " ")  # SQLite would end the query there.
    if not query:
        return {}
    # Further texts hardly change how rare a word is.
    rows = [(title, text[: bounds.MOST_COMPARED_CHARS]) for title, text in texts.values()]
    rows += [("", "")] * min(beside, 400)
    # A word in a title weighs six times as much as the same word in the text.
    ranked = (
        "select rowid, -bm25(texts, 6.0, 1.0) from texts where texts match ? order by 2 desc, 1"
    )
    table.execute("begin")
    try:
        numbered = [(number, *row) for number, row in enumerate(rows)]
        table.executemany("insert into texts (rowid, title, text) values (?, ?, ?)", numbered)
        names = [*texts]
        return {names[row]: score for row, score in table.execute(ranked, (query,))}
    finally:
        table.execute("rollback")


def words_of(text: str) -> list[str]:
    """Return the words of a text that say something about its subject, each once."""
    words = (
        word.strip("-_")
        for word in text[: bounds.MOST_COMPARED_CHARS].casefold().translate(_BLANKS).split()
    )
    return [word for word in dict.fromkeys(words) if len(word) > 2 and word not in COMMON]


def paths_in(text: str) -> list[str]:
    """Return the absolute paths that a text names, in their order."""
    return [
        path.rstrip("./-")
        for path in text.translate(BETWEEN_NAMES).split()
        if path[:1] == "/" and path[1:2].isalnum()
    ]


def beginning_of(word: str) -> str:
    """Return the beginning of a word, with which its other forms begin: `retur` for `returned`."""
    return word[: max(4, len(word) - 3)]


def subjects_of(rules: str) -> dict[str, str]:
    """Return the words that the rules have for each path in a passage that leads to several paths, lines joined.

    These are the words of the path's part of the passage: up to a full stop or semicolon, or to a comma if the part
    names several paths. Words that several paths share, such as `records under`, say nothing about any of them.
    """
    said: dict[str, list[str]] = {}
    for passage in _PASSAGE.split(rules):
        text = " ".join(passage.translate(_NO_MARKUP).split())
        if len({*paths_in(text)}) < LEAST_ROUTED:
            continue
        for part in text.replace("; ", ". ").split(". "):
            for piece in part.split(", ") if len(paths_in(part)) > 1 else [part]:
                for path in paths_in(piece):
                    said[path] = said.get(path, []) + words_of(piece.replace(path, " "))
    counts = Counter(word for words in said.values() for word in {*words})
    return {
        path: " ".join(word for word in words if counts[word] < LEAST_ROUTED)
        for path, words in said.items()
    }


def lines_pattern(terms: Iterable[str]) -> str:
    """Return the pattern of lines that hold a word which begins like one of the terms, in any case."""
    return f"(?i)(?:^|[^0-9A-Za-z])(?:{'|'.join(map(re2.escape, terms))})"


CUT: Final = "\0"
"""Stands for the files of a folder whose content no tree shows."""


@dataclass(slots=True)
class ListedFiles:
    """The files that trees show, in the order of the trees, and the drawing of such a tree."""

    files: list[str] = field(default_factory=list)
    """Their paths; `CUT` in a folder whose content no tree shows."""
    _roots: list[str] = field(default_factory=list)

    def add(self, root: str, paths: Iterable[str]) -> None:
        """Add all files of a folder, at most `MOST_FOLDER_FILES`."""
        base, paths = root.rstrip("/"), iter(paths)
        self._roots.append(f"{base}/")
        self.files += islice(paths, bounds.MOST_FOLDER_FILES)
        self.files += [f"{base}/{CUT}"] * (next(paths, None) is not None)

    def below(self, folder: str) -> list[str] | None:
        """Return all files below a folder, sorted; None if no tree shows whether these are all."""
        base = folder.rstrip("/") + "/"
        cut = [path.rstrip(CUT) for path in self.files if path.endswith(CUT)]
        if any(base.startswith(path) or path.startswith(base) for path in cut):
            return None
        is_shown = any(base.startswith(root) for root in self._roots)
        return sorted(path for path in self.files if path.startswith(base)) if is_shown else None

    def drawn(self, longest: int, *, root: str = "/", in_full: Collection[str] = ()) -> str:
        """Return the drawing: a folder with more than `longest` files is one line, with their number and the first.

        A folder that holds only folders is drawn, one line each; the folders in `in_full` are listed up to
        `SHOWN_FOLDER_FILES`.
        """
        base, listed = root.rstrip("/") + "/", {folder.casefold().rstrip("/") for folder in in_full}
        files = [file.removeprefix(base) for file in self.files if file.startswith(base)]
        return "\n".join(_drawn(files, base, 0, longest, listed))


@dataclass(slots=True)
class RequestFacts:
    """What is known of a request before files are chosen for it."""

    instruction: str
    rules: str = ""
    """The workspace's rules, if they were read."""
    listed: ListedFiles = field(default_factory=ListedFiles)
    outputs: list[str] = field(default_factory=list)
    """Output of tools that were not asked for help."""


def paths_of_tree(node: Mapping[str, Plain], path: str, level: int) -> list[str]:
    """Return the files of a tree that shows `level` levels below `path`, as `ListedFiles` holds them."""
    children = node.get("children", [])
    if not node.get("is_dir"):
        return [path]
    if level == 0 or not isinstance(children, list):
        return [f"{path}/{CUT}"]
    paths: list[str] = []
    for child in children:
        if isinstance(child, dict):
            paths += paths_of_tree(child, f"{path}/{child.get('name', '')}", level - 1)
    return paths


def _drawn(
    files: Sequence[str], path: str, depth: int, longest: int, in_full: Collection[str]
) -> list[str]:
    """Return the lines of a folder, whose files are relative to its path."""
    indent, whole = "  " * depth, [file for file in files if not file.endswith(CUT)]
    title = indent + (path[path.rstrip("/").rfind("/") + 1 :] if len(path) > 1 else path)
    if list(files) == [CUT]:
        return [f"{title} (too large to be listed)"]
    is_long = bool(depth) and len(whole) > longest
    if (
        is_long
        and path.casefold().rstrip("/") in in_full
        and len(whole) <= bounds.SHOWN_FOLDER_FILES
    ):
        return [title, *(f"{indent}  {file}" for file in whole)]
    if is_long and (depth > 1 or any("/" not in file for file in whole)):
        or_more = " or more" if len(whole) < len(files) else ""
        return [f"{title} ({len(whole)}{or_more}: {whole[0]} ..)"]
    children: dict[str, list[str]] = {}
    for file in files:
        name, _, rest = file.partition("/")
        if name != CUT:
            children.setdefault(name, []).append(rest)
    lines = [title]
    for name, below in children.items():
        is_file = below == [""]
        lines += (
            [f"{indent}  {name}"]
            if is_file
            else _drawn(below, f"{path}{name}/", depth + 1, longest, in_full)
        )
    return lines
