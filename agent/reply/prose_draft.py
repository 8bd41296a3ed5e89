"""Reads an answer in prose, with its citations in the text, as the draft of a submission.

A draft becomes a script that depends on the reply alone. The first such script of a trial shows the model what it would
submit and what is missing; the next one submits.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

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
    for found in islice(_PATH.finditer(text), 5 * MOST_CITED):
        line = int(found["line"] or 0)
        if found["path"] not in cited and len(cited) < MOST_CITED:
            cited[found["path"]] = line, _sentence_at(text, found.start(), found.end())
    if not cited and outcome is None:
        return None
    quoted = [(found[1] or found[2]).strip() for found in islice(_QUOTED.finditer(text), MOST_CITED)]
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
