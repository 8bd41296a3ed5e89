"""Reads instructions and the contracts that a careful reader derives from them."""

import re
from collections.abc import Iterator
from pathlib import Path

from gates.language import format_clauses as forms
from gates.language.format_clauses import Clause

CORPUS = Path(__file__).with_name("contract_corpus.txt")
CORPUS_APART = Path(__file__).with_name("contract_corpus_apart.txt")


def read_corpus(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the expected contract, the instruction and the rules of every line."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("# "):
            want, instruction, *rules = line.split(" => ")
            yield want, instruction.replace("\\n", "\n"), (rules[0] if rules else "").replace("\\n", "\n")


def expected_demands(want: str) -> set[str]:
    """Return the demands, in the words of the clauses, that the notation of a corpus file stands for."""
    return {_clause(each).demand for each in re.split(r"(?<!:); ", want) if each != "-"}


def _clause(notation: str) -> Clause:
    is_whole = not notation.startswith("~")
    kind, _, detail = notation.removeprefix("~").partition(":")
    is_sorted = notation.endswith("sorted")
    simple = {
        "number": forms.number_clause,
        "integer": forms.integer_clause,
        "code": forms.token_clause,
        "path": forms.path_clause,
        "value": forms.line_clause,
        "word": forms.word_clause,
    }
    if kind in simple:
        return simple[kind]("")
    if kind.split()[0] in ("paths", "sorted", "codes") and not detail:
        of = {"paths": "paths", "codes": "codes"}.get(kind.split()[0], "items")
        return forms.lines_clause("", of=of, is_sorted=is_sorted)
    if kind in ("codes", "list"):
        of = "codes" if kind == "codes" else "items"
        return forms.list_clause(detail.split()[0], "", of=of, is_sorted=is_sorted)
    if kind == "template":
        return forms.template_clause(detail, "", is_whole=is_whole)
    if kind == "date":
        return forms.date_clause(detail, "", is_whole=is_whole)
    if kind == "decimals":
        return forms.decimals_clause(int(detail), "")
    if kind == "amount":
        currency, decimals = detail.split()
        return forms.amount_clause(currency, int(decimals), "", is_whole=is_whole)
    if kind == "json":
        return forms.json_clause(tuple(detail.split(",")) if detail else (), "")
    if kind == "columns":
        return forms.columns_clause(detail, " | ", "")
    if kind == "choice":
        return forms.choice_clause(tuple(detail.split("|")), "", is_whole=is_whole)
    assert kind == "yesno", notation
    yes, no = detail.split("|")
    demand = f"exactly `{yes}` or `{no}`" if is_whole else f"a text with exactly one of `{yes}` and `{no}`"
    return Clause("yes/no", demand, "", bool, yes, is_whole)
