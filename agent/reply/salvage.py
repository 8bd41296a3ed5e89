"""Finds what a reply means that is not the object asked for: objects written as JSON or as Python, outside of a model's
thinking, and an answer in prose, with its citations in the text, as the draft of a submission.

A draft becomes a script that depends on the reply alone. The first such script of a trial shows the model what it would
submit and what is missing; the next one submits. The time of all this grows linearly with the length of any text.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from agent import REPLY

STATE_NAMES: Final = ("state", "current_state")
PLAN_NAMES: Final = ("plan", "plan_remaining_steps_brief")
DONE_NAMES: Final = ("done", "task_completed")
CODE_NAMES: Final = ("code", "python_code", "script", "python")
"""Accepted names of the code, the requested one first."""
OTHER_NAMES: Final = frozenset({*STATE_NAMES, *PLAN_NAMES, *DONE_NAMES})
"""The names of the fields beside the code."""
LONGEST: Final = 400_000
"""Max characters of a text that are looked at."""

_CODE: Final = "|".join(CODE_NAMES)
_BRACE: Final = re.compile(r"""\{(?=\s*+(?:["']|\w++\s*+:))""")
_KNOWN_KEY: Final = re.compile(rf"""\{{\s*+["']?(?:{_CODE}|{"|".join(sorted(OTHER_NAMES))})["']?\s*+:""")
CODE_KEY: Final = re.compile(rf"""["']?\b(?:{_CODE})\b["']?\s*+:""")
# A stray quote before a key makes the key's quotes look like another string's, so one of them is enough.
_MARK: Final = re.compile(
    rf"""(?P<code>(?:"(?:{_CODE})"|'(?:{_CODE})'|\b(?:{_CODE})["']?)\s*+:)|(?P<quote>\"{{3}}|'{{3}}|["'])|[{{}}]"""
)
_REST_OF_STRING: Final = {
    quote: re.compile(rf"(?:[^\\{quote[0]}]++|\\.{more})*{quote}", re.S)
    for quote, more in (('"', ""), ("'", ""), ('"""', '|"(?!"")'), ("'''", "|'(?!'')"))
}
_JSON_WORDS: Final = {"True": "true", "False": "false", "None": "null", ",": ""}
_PYTHON_WORDS: Final = {"true": "True", "false": "False", "null": "None"}
_TOKEN: Final = re.compile(
    r""""(?:[^"\\]++|\\.)*"|'(?:[^'\\]++|\\.)*'|\b(?:True|False|None|true|false|null)\b|,(?=\s*+[}\]])""", re.S
)
"""A string, a word of JSON or Python, or a comma before a closing bracket."""
_NAMES: Final = r"think|thinking|thoughts?|reasoning|reflection|seed:think"
_OPENING: Final = rf"<(?:{_NAMES})>|\[THINK\]|◁think▷|<\|channel\|>\s*analysis\s*<\|message\|>"
_CLOSING: Final = rf"</(?:{_NAMES})>|\[/THINK\]|◁/think▷|<\|end\|>"
_TAG: Final = re.compile(rf"(?P<opening>{_OPENING})|(?P<closing>{_CLOSING})", re.I)
_ENDS_A_THOUGHT: Final = re.compile(rf"{_CLOSING}|(?=<\|start\|>|<\|channel\|>)", re.I)


@dataclass(frozen=True, slots=True)
class WrittenObject:
    """An object in a text. The value is None if it cannot be read."""

    start: int
    end: int | None
    """The position after the closing brace; None if there is none."""
    value: dict[str, object] | None
    holds_code: bool
    """True if it has a key for code, outside of strings."""
    is_action: bool
    """True if its first key is one of an action."""


class _TwoCodes(ValueError):
    """An object has the key `code` twice."""


def objects_in(text: str) -> Iterator[WrittenObject]:
    """Yield the objects of `text` in order, without those inside a closed one.

    At most 50 are tried, since each may cost a walk to the end of the text.
    """
    position = 0
    for opening in islice(_BRACE.finditer(text), 50):
        start = opening.start()
        if start < position:
            continue
        end, holds_code = _span(text, start)
        value = read_object(text[start:end]) if end is not None else None
        position = end or position
        yield WrittenObject(start, end, value, holds_code, _KNOWN_KEY.match(text, start) is not None)


def _span(text: str, start: int) -> tuple[int | None, bool]:
    """Walk from a brace to the one that closes it, past strings of both quotes and at most 100 braces deep; say if a
    key for code was there."""
    depth, at, holds_code = 0, start, False
    while (mark := _MARK.search(text, at)) is not None:
        at = mark.end()
        if mark["code"]:
            holds_code = True
        elif mark["quote"]:
            rest = _REST_OF_STRING[mark["quote"]].match(text, at)
            if rest is None:
                break
            at = rest.end()
        else:
            depth += 1 if mark[0] == "{" else -1
            if depth == 0:
                return at, holds_code
            if depth > 100:
                break
    return None, holds_code


def read_object(text: str) -> dict[str, object] | None:
    """Return the object that is the whole of `text`, as JSON or Python, also with the words of the other and trailing
    commas; None if there is none, or if it has two codes."""
    for read, words in ((_json, {}), (_python, {}), (_json, _JSON_WORDS), (_python, _PYTHON_WORDS)):
        try:
            value = read(_respelt(text, words))
        except _TwoCodes:
            return None
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
        if isinstance(value, dict):
            return value
    return None


def _respelt(text: str, words: dict[str, str]) -> str:
    return _TOKEN.sub(lambda token: words.get(token[0], token[0]), text) if words else text


def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return the object of these members. Raises `ValueError` if it has its code twice."""
    if sum(name in CODE_NAMES for name, _ in pairs) > 1 and len({name for name, _ in pairs}) < len(pairs):
        raise _TwoCodes
    return dict(pairs)


def _json(text: str) -> object:
    # Raw newlines inside strings are what models write most often.
    return json.loads(text, strict=False, object_pairs_hook=unique)


def _python(text: str) -> object:
    if len(text) > 100_000:
        return None
    tree = ast.parse(text, REPLY, "eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            unique([(str(getattr(key, "value", "")), None) for key in node.keys])
    return ast.literal_eval(tree)


def without_thoughts(text: str) -> str:
    """Return `text` without thinking: without text between tags of thinking, or before a closing tag alone.

    A tag inside an object is a part of the object. Thinking that does not end hides everything after it.
    """
    if _TAG.search(text) is None:
        return text
    objects = [(written.start, written.end) for written in objects_in(text[:LONGEST]) if written.end is not None]
    said, said_from, position = list[str](), 0, 0
    while (tag := _TAG.search(text, position)) is not None:
        around = next((end for start, end in objects if start >= said_from and start < tag.start() < end), None)
        if around is not None:
            position = around
            continue
        if tag["closing"]:
            said.clear()
            said_from = position = tag.end()
            continue
        said.append(text[said_from : tag.start()])
        closing = _ENDS_A_THOUGHT.search(text, tag.end())
        said_from = position = closing.end() if closing else len(text)
    return "".join(said) + text[said_from:]


def object_of(text: str) -> dict[str, Any] | None:
    """Return the object; a list counts as the object `{"calls": [...]}`. None if no object can be read."""
    said = without_thoughts(text[:LONGEST]).strip()
    try:
        value = json.loads(said, strict=False)
    except (ValueError, RecursionError):
        return next((written.value for written in objects_in(said) if written.value is not None), None)
    if isinstance(value, list):
        return {"calls": value}
    return value if isinstance(value, dict) else None


MOST_CITED: Final = 20
MOST_CHARS: Final = 20_000
"""Max characters of a reply that is read as a draft."""
_PATH: Final = re.compile(
    r"(?<![\w/.:@-])(?P<path>/(?:[\w.+-]+/)*[\w.+-]*\w"
    r"|(?:[\w.+-]+/)*[\w+-][\w.+-]*\.(?:[a-z]\w{1,8}|[cChHrRmMdD])(?:/(?:page|sheet)-[\w.-]*\w)?)"
    r"(?::(?P<line>\d{1,7}))?(?![\w/(])"
)
_QUOTED: Final = re.compile(r"[\"“„«]([^\"“”„«»\n]{8,600})[\"”“»]|^> ?(.{8,600})$", re.M)
_OUTCOME: Final = re.compile(r"(?:[\s*_(]*(?i:outcome)\b[\s*_:=]*)?[`(]*\b(OUTCOME_[A-Z_]+)[`).*]*")
_SOURCES: Final = re.compile(r"\n[\s*_#]*(?:sources?|citations?|references?|quellen|fuentes|fontes)\b[\s*_:]*", re.I)
_INTENTION: Final = re.compile(r"(?:i(?:'ll| will| need to| should| want to)|let(?:'s| me| us)|first,|next,)\b", re.I)
_SCRIPT: Final = """\
answer, outcome, cited, quoted = {answer!r}, {outcome!r}, {cited!r}, {quoted!r}
is_repeated = scratchpad.get("draft") is not None
missing, shown = [], []
scratchpad["answer"], scratchpad["outcome"], scratchpad["refs_why"], scratchpad["draft"] = answer, outcome, {{}}, answer
left = list(quoted)
for name, line, reason in cited:
    path, text = "/" + name.lstrip("/"), None
    try:
        try:
            text = harness.read(path).content
        except FileNotFoundError:
            paths = harness.find(name.rsplit("/", 1)[-1], kind="files", limit=50).paths
            ends = [one for one in paths if one.endswith(path) or path.endswith(one)]
            if not ends and "/" not in name and len(cited) > 1:
                continue
            if len(ends) != 1:
                missing.append(f"{{name}}: there is no such file" if not ends else f"{{name}}: it may be {{ends}}")
                continue
            path = ends[0]
            text = harness.read(path).content
        bare = "".join(text.split()).casefold()
        held = [quote for quote in left if "".join(quote.split()).casefold() in bare]
        lines = text.split("\\n")
        if line and not held and line <= len(lines) and 8 <= len(lines[line - 1].strip()) <= 600:
            held = [lines[line - 1].strip()]
        for quote in held or [""]:
            scratchpad.cite(path, reason, quote)
            shown.append(f"  {{path}}" + (f": {{quote!r}}" if quote else " (without a quotation)"))
        left = [quote for quote in left if quote not in held]
    except (CitationError, HarnessError, AttributeError) as fault:
        missing.append(f"{{name}}: {{fault}}")
if cited:
    missing += [f"{{quote!r}}: it stands in no cited file" for quote in left]
def verify(sp):
    return sp["answer"] == answer and sp["outcome"] == outcome
if is_repeated:
    harness.answer(scratchpad, verify)
else:
    print("Your reply has no JSON object, and was read as the draft of a submission:")
    print(f"answer: {{answer}}\\noutcome: {{outcome}}\\ncitations:")
    print("\\n".join(shown) or "  (none)")
    if missing:
        print("missing:\\n" + "\\n".join(f"  {{one}}" for one in missing))
    print("Is this your answer? Then reply with it again, mended where something is missing, and it is submitted. Else "
          "reply with the JSON object {{state, plan, done, code}} and the script to run next.")
"""


def draft_script(reply: str) -> str | None:
    """Return the script of an answer in prose; None if the reply names no source and no outcome, or is no answer."""
    text = reply.strip()
    if len(text) > MOST_CHARS or "```" in text or _INTENTION.match(text):
        return None
    outcome = _OUTCOME.search(text)
    cited: dict[str, tuple[int, str]] = {}
    for match in islice(_PATH.finditer(text), 5 * MOST_CITED):
        line = int(match["line"] or 0)
        if match["path"] not in cited and len(cited) < MOST_CITED:
            cited[match["path"]] = line, _sentence_at(text, match.start(), match.end())
    if not cited and outcome is None:
        return None
    quoted = [(match[1] or match[2]).strip() for match in islice(_QUOTED.finditer(text), MOST_CITED)]
    kept = _OUTCOME.sub("", text).strip()
    body, *rest = _SOURCES.split(kept, maxsplit=1)
    return _SCRIPT.format(
        answer=body.strip() if rest and body.strip() else kept,
        outcome=outcome[1] if outcome else "OUTCOME_OK",
        cited=[(path, line, reason) for path, (line, reason) in cited.items()],
        quoted=list(dict.fromkeys(quoted)),
    )


def _sentence_at(text: str, start: int, end: int) -> str:
    """Return the line around a path, at most 300 characters on each side of it, as the reason to cite it."""
    first = max(text.rfind("\n", 0, start) + 1, start - 300)
    last = text.find("\n", end)
    line = text[first : min(last if last >= 0 else len(text), end + 300)].strip(" \t*_>#-[]()`")
    if len(line) > end - start + 8:
        return line
    before = text[:first].strip().rpartition("\n")[2]
    return f"{before[-300:]} {line}".strip()
