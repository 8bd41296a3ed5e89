"""The calls of a trial with one search, which found places in the file `/docs/Loans.md`.

    calls = calls_with_lines({4: "The archive is opened", 5: "by the night porter alone."})
    calls.cite("/docs/Loans.md", "who opens it", quotation="is opened by the night porter")

A *match* is a place that a search has found, with its `line` and its `text`.
"""

from tests.gates.recorded_calls import CallsOfTrial


def calls_with_lines(lines: dict[int, str]) -> CallsOfTrial:
    """Return the calls of a trial whose search found these lines, in this order."""
    matches = [{"line": number, "text": text} for number, text in lines.items()]
    return calls_with_matches(*matches)


def calls_with_matches(*matches: dict[str, object]) -> CallsOfTrial:
    """Return the calls of a trial whose search returned these matches.

    If the text of a match begins with lines before the found one, `first` is the line where it
    begins: `{"line": 7, "first": 6, "text": "line 6\\nline 7"}`.
    """
    found = [{"path": "/docs/Loans.md", **match} for match in matches]
    calls = CallsOfTrial()
    calls.record("search", {"pattern": "e", "root": "/"}, {"matches": found})
    return calls
