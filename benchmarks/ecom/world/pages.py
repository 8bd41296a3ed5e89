"""The texts of a world: its documents, the notices that override them, and the wordings of requests.

All texts exist in two halves, `known` and `unseen`; no player and no check is written for the second half. A file of
`pages/` has a line of titles, then clauses: `@ name`, perhaps `first` or `last`, and a line `= wording` for each
wording. A wording refers to names and values as `$group.name`. The files of `wordings/` have the same form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache, partial
from importlib.resources import files
from random import Random
from typing import Final

from benchmarks.ecom.world.company import BRAND, TIERS, DispatchRates, Policy, WorldNames

KNOWN, UNSEEN = "known", "unseen"
RULES: Final = "rules"
SECURITY: Final = "security"
CHECKOUT: Final = "checkout"
CATALOGUE: Final = "catalogue"
DISCOUNTS: Final = "discounts"
VERIFICATION: Final = "verification"
RETURNS: Final = "returns"
DISPATCH: Final = "dispatch"
CROSSLIST: Final = "crosslist"
ORIGINS: Final = "origins"
"""The keys of the documents that code refers to; `WorldNames.documents` returns the path of one."""

NAME: Final = re.compile(r"\$([a-z_]+(?:\.[a-z_]+)*)")
"""A name in a wording."""
WIDTH: Final = 110


@dataclass(frozen=True, slots=True)
class Wordings:
    """The wordings of one statement: `known` ones, for which rules may be written, and held-out `unseen` ones."""

    known: tuple[str, ...]
    unseen: tuple[str, ...]

    def of(self, half: str) -> tuple[str, ...]:
        """Return one half, or all if `half` is neither `known` nor `unseen`."""
        return self.known if half == KNOWN else self.unseen if half == UNSEEN else (*self.known, *self.unseen)


STYLES: Final = Wordings(
    ("- {}", "* {}", "{number}. {}", "{}", "## {title}\n\n{}"),
    ("{number}) {}", "**{title}.** {}", "### {number}. {title}\n\n{}"),
)


@dataclass(frozen=True, slots=True)
class Clause:
    """One statement of a document, in several wordings."""

    name: str
    place: str
    """`first`, `last`, or empty for any place."""
    wordings: Wordings


@dataclass(frozen=True, slots=True)
class Page:
    """A document in all its wordings."""

    titles: Wordings
    clauses: tuple[Clause, ...]


@cache
def page(key: str) -> Page:
    """Return the document of a key. Raises `ValueError` if its two files do not have the same clauses."""
    titles, clauses = _both(f"pages/{key}.txt", f"pages/unseen/{key}.txt")
    named = [(*title.partition(" "), said) for title, said in clauses.items()]
    heads = (tuple(head.removeprefix("# ").split(" | ")) for head in titles)
    return Page(Wordings(*heads), tuple(Clause(name, place, said) for name, _, place, said in named))


@cache
def wordings() -> Mapping[str, Wordings]:
    """Return the wordings of requests, notices and hostile blocks, by name. They are templates of `str.format`."""
    return _both("wordings/known.txt", "wordings/unseen.txt")[1]


def _both(known: str, unseen: str) -> tuple[tuple[str, str], dict[str, Wordings]]:
    (head, left), (other_head, right) = _read(known), _read(unseen)
    if left.keys() != right.keys():
        msg = f"the clauses of {known} and {unseen} differ: {left.keys() ^ right.keys()}"
        raise ValueError(msg)
    return (head, other_head), {name: Wordings(left[name], right[name]) for name in left}


def _read(path: str) -> tuple[str, dict[str, tuple[str, ...]]]:
    """Return the first line of a file, and the wordings of its clauses by name and place."""
    head, *parts = f"\n{(files(__package__) / path).read_text('utf-8')}".split("\n@ ")
    clauses = {}
    for part in parts:
        title, *lines = part.rstrip("\n").split("\n")
        clauses[title] = tuple(line.removeprefix("= ").replace("\\n", "\n") for line in lines)
    return head.strip(), clauses


def render(key: str, value_of: Callable[[str], object], rng: Random, half: str) -> str:
    """Return the text of a document in wordings and an order that `rng` draws. A clause without text is left out."""
    template = page(key)
    inner = [clause for clause in template.clauses if not clause.place]
    rng.shuffle(inner)
    ordered = [clause for clause in template.clauses if clause.place == "first"] + inner
    ordered += [clause for clause in template.clauses if clause.place == "last"]
    style = rng.choice(STYLES.of(half))
    blocks = [f"# {rng.choice(template.titles.of(half))}"]
    for clause in ordered:
        text = NAME.sub(lambda match: str(value_of(match[1])), rng.choice(clause.wordings.of(half)))
        if text:
            blocks.append(_block(clause, text, style, len(blocks)))
    gap = "\n" if style.startswith(("-", "*", "{number}")) else "\n\n"
    return blocks[0] + "\n\n" + gap.join(blocks[1:]) + "\n"


def _block(clause: Clause, text: str, style: str, number: int) -> str:
    if "\n" in text or clause.place:
        return f"{text}\n"
    shown = style.format(text, number=number, title=clause.name.replace("_", " ").capitalize())
    indent = "  " if style.startswith(("-", "*")) else ""
    return "\n".join(_wrapped(line, indent) for line in shown.split("\n"))


def _wrapped(line: str, indent: str) -> str:
    if len(line) <= WIDTH:
        return line
    first = _line_within(WIDTH).match(line)
    assert first is not None
    later = _line_within(WIDTH - len(indent)).findall(line, first.end())
    return "\n".join([first[0], *(indent + part for part in later)])


@cache
def _line_within(width: int) -> re.Pattern[str]:
    """Return the pattern of as many words as fit, or of one that is longer: `textwrap` takes ten times as long."""
    return re.compile(rf"\S.{{0,{width - 1}}}(?=\s|$)|\S+")


def euros(cents: int) -> str:
    """Return an amount such as `EUR 120.00`."""
    return f"EUR {cents // 100}.{cents % 100:02d}"


def _rates_table(rates: DispatchRates) -> str:
    rows = [
        ("word", "rate"),
        ("---", "---"),
        *((word, f"{share} % of trips") for word, share in rates.frequency.items()),
        *((word, f"{shortest} to {longest} time units") for word, (shortest, longest) in rates.length.items()),
        ("late", f"{euros(rates.late_cents)} per time unit"),
        ("missed", f"{euros(rates.missed_cents)} per package"),
    ]
    return "\n".join(f"| {word} | {rate} |" for word, rate in rows)


def documents(
    policy: Policy, names: WorldNames, origin: Mapping[str, str], updates: str = ""
) -> dict[str, Callable[[], str]]:
    """Return functions that render a world's documents, by path. `updates` is the rule on notices, if there are any."""
    value_of = _value_of(policy, names, origin, updates)

    def rendered(key: str) -> str:
        return render(key, value_of, Random(f"{names.wording}|{key}"), names.wordings)

    return {path: partial(rendered, key) for key, path in names.documents.items()}


def _value_of(policy: Policy, names: WorldNames, origin: Mapping[str, str], updates: str) -> Callable[[str], object]:
    """Return the function of the names and values that the wordings of a world refer to, by `group.name`."""

    def said(name: str) -> str:
        return Random(f"{names.wording}|{name}").choice(wordings()[name].of(names.wordings))

    plain: dict[str, object] = {
        "company": BRAND,
        "reasons": ", ".join(f"`{code}`" for code in names.reason_codes),
        "rates": _rates_table(policy.rates),
        "threshold": euros(policy.threshold_cents),
        "high": policy.high_percent,
        "low": policy.low_percent,
        "delay": policy.verification_delay_min,
        "uploads": names.uploads,
        "mentioned": said("mentioned") if policy.cites_mentioned else "",
        "outside": said("outbox").format(path=policy.outbox) if policy.outbox else said("outside"),
        "updates": updates,
    }
    groups: Mapping[str, Callable[[str], object]] = {
        "doc": names.documents.__getitem__,
        "root": partial(getattr, names.layout.roots),
        "field": lambda name: names.field(name.rpartition(".")[2], within=name.rpartition(".")[0]),
        "state": names.state,
        "raw": lambda name: names.state(name.rpartition(".")[2], of=name.rpartition(".")[0]),
        "challenge": partial(names.state, of="verification.state"),
        "tool": "/bin/{}".format,
        "verb": names.records.verb,
        "policy": partial(getattr, policy),
        "role": names.roles.__getitem__,
        "origin": origin.__getitem__,
    }

    def value(key: str) -> object:
        group, _, name = key.partition(".")
        return groups[group](name) if name else plain[key]

    return value


@dataclass(frozen=True, slots=True)
class Notices:
    """The notices beside the pages of a world."""

    stated: Policy
    """The policy as the pages state it; the world's own policy holds today."""
    rule: str = ""
    """The rules document's text about notices."""
    files: tuple[tuple[str, str], ...] = ()


def choose_notices(rng: Random, policy: Policy, names: WorldNames, today: date, *, with_decoys: bool) -> Notices:
    """Return notices by which `policy` holds today, though the pages state another, and decoys that do not hold."""

    def said(name: str, **values: object) -> str:
        return rng.choice(wordings()[name].of(names.wordings)).format(**values)

    def notice(day: str, name: str, text: str) -> tuple[str, str]:
        return f"{names.notices}/{day}-{name}.md", f"# Notice of {day}\n\n{text}\n"

    def tiers(day: str, threshold: int, high: int, low: int) -> str:
        return said("notice-tiers", day=day, threshold=euros(threshold), high=high, low=low, page=discounts)

    discounts = names.documents[DISCOUNTS]
    threshold, high, low = rng.choice([tier for tier in TIERS if tier[0] != policy.threshold_cents])
    stated = replace(policy, threshold_cents=threshold, high_percent=high, low_percent=low)
    day = (today - timedelta(days=rng.randint(0, 9))).isoformat()
    notices = [notice(day, "limits", tiers(day, policy.threshold_cents, policy.high_percent, policy.low_percent))]
    if rng.random() < 0.5:
        stated = replace(stated, refund_role=names.roles["desk"])
        text = said("notice-role", day=day, role=policy.refund_role, page=names.documents[RETURNS])
        notices.append(notice(day, "refunds", text))
    if with_decoys:  # An expired copy with other limits, a notice that does not hold yet, and a rumour.
        threshold, high, low = rng.choice(TIERS)
        past = (today - timedelta(days=rng.randint(200, 700))).isoformat()
        coming = (today + timedelta(days=rng.randint(2, 20))).isoformat()
        expired = f"{said('notice-expired', day=past)}\n\n{tiers(past, threshold + 1_000, high + 5, low + 3)}"
        stem = discounts.rsplit("/", 1)[1].removesuffix(".md")
        notices += [
            (f"{names.decoys[0]}/{stem}-{past[:4]}.md", f"# Discounts\n\n{expired}\n"),
            notice(coming, "limits", tiers(coming, threshold + 1_000, high + 5, low + 3)),
            (f"{names.decoys[1]}/notes.md", f"# Notes of the team\n\n{said('rumour', percent=high + 8)}\n"),
        ]
    return Notices(stated, said("notices", folder=names.notices), tuple(notices))
