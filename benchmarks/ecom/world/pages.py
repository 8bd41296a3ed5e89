"""The pages of a world: what they state, and the notices that change it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache, cached_property, partial
from random import Random
from typing import Final, NamedTuple

from controlplane.benchmarks.ecom.world.company import (
    BRAND,
    DISCOUNT_LIMITS,
    DiscountLimits,
    Policy,
)
from controlplane.benchmarks.ecom.world.names import (
    KNOWN,
    UNSEEN,
    Wordings,
    WorldNames,
    read_wordings,
)
from controlplane.benchmarks.shop.texts import amount_text

# The values for the names in a world's pages: what `$company` and `$state.active` stand for.
#
# A page is written once, as a template, for all worlds. Its clause
#
#     Only a basket that is `$state.active` can get a discount of up to $high percent.
#
# says "a basket that is `filling`" and "up to 12 percent" in one world. In `$state.active`,
# `state` is the group of the name; `$high` has no group.


@dataclass(frozen=True)
class PageFacts:
    """What the pages of one world state."""

    policy: Policy
    names: WorldNames
    history: Mapping[str, str]
    """Facts of the company's history by name, such as the date `named_on`."""
    updates: str
    """The rule that notices override pages; empty if the world has none."""
    outbox: str
    """The file for requests to other systems; empty if there is none."""

    def value_of(self, full_name: str) -> object:
        """Return the value for a name: `state.active` -> `filling`, `high` -> 12.

        Raises `KeyError` for a name that no page may have.
        """
        group, _, name = full_name.partition(".")
        if name:
            return _value_in_group(group, name, self)
        return self._plain_values[full_name]

    @cached_property
    def _plain_values(self) -> dict[str, object]:
        """The values of the names without a group."""
        discounts = self.policy.discounts
        reasons = ", ".join(f"`{code}`" for code in self.names.reason_codes)
        # "Cite the products that the request excludes, too"
        mentioned = ""
        if self.policy.answers.cites_mentioned:
            mentioned = self.names.statement("mentioned")
        # "Write such requests to the file ...", or "Nothing can be sent to others"
        outside = self.names.statement("outbox" if self.outbox else "outside")
        return {
            "company": BRAND,
            "reasons": reasons,  # the codes of the reasons for a discount
            "threshold": amount_text(
                discounts.threshold_cents
            ),  # for the higher discount
            "high": discounts.percent_from_threshold,
            "low": discounts.percent_below_threshold,
            "delay": self.policy.verification_delay_min,  # in minutes
            "rates": self.policy.rates.table(),
            "uploads": self.names.uploads,
            # Whole sentences. If one is empty, the page leaves its clause out.
            "mentioned": mentioned,
            "outside": outside.format(path=self.outbox) if self.outbox else outside,
            "updates": self.updates,
        }


def _value_in_group(group: str, name: str, facts: PageFacts) -> object:
    """Return the value for a name with a group: `state` and `active` for `state.active`."""
    names = facts.names
    match group:
        case "doc":  # `doc.returns`: the path of a page
            return names.pages[name]
        case "root":  # `root.baskets`: the folder of a kind of record
            return getattr(names.layout.roots, name)
        case "field":  # `field.store_id`; `field.verification.state` is within another
            containing_field, _, inner_name = name.rpartition(".")
            return names.field(inner_name, within=containing_field)
        case "state":  # `state.active`: a state of a basket, payment or return
            return names.state(name)
        case "challenge":  # `challenge.challenge_open`: a state of a card verification
            return names.state(name, of="verification.state")
        case "raw":  # `raw.fulfilment.download`: a value of a field that is not a state
            field, _, value = name.rpartition(".")
            return names.state(value, of=field)
        case "tool":  # `tool.jq`: the path of a tool
            return f"/bin/{name}"
        case "verb":  # `verb.approve`: a subcommand of a tool
            return names.records.verb(name)
        case "role":  # `role.discount`: the name of a role
            return names.roles[name]
        case "policy":  # `policy.refund_role`: a rule
            return getattr(facts.policy, name)
        case "answers":  # `answers.yes`: how answers are written
            return getattr(facts.policy.answers, name)
        case "origin":  # `origin.named_on`: a fact of the company's history
            return facts.history[name]
    msg = f"{group}.{name}"
    raise KeyError(msg)


# The pages of one world: its policies, history and names, in the world's wordings.
#
# A page is made from the template with its key, such as `pages/returns.txt`. The template
# has several wordings for each statement, and names for what differs between worlds.

# The pages before they are written for a world: their statements (clauses) with all wordings.
#
# For example, the file `pages/returns.txt` has the titles of a page and its clauses:
#
#     @ titles
#     = Returns and refunds
#     = Money back
#     @ deadline first
#     = Goods may be returned within 30 days.
#     = 30 days are left for a return.
#
# A clause may have a position: `deadline` is the first on the page.

# The positions of a clause in its page:
_FIRST: Final = "first"
_LAST: Final = "last"
_ANYWHERE: Final = ""


@dataclass(frozen=True, slots=True)
class _Clause:
    """One statement of a page."""

    name: str
    position: str
    """`_FIRST`, `_LAST` or `_ANYWHERE` in the page."""
    wordings: Wordings


@dataclass(frozen=True, slots=True)
class _PageTemplate:
    """A page with all its wordings."""

    titles: Wordings
    clauses: tuple[_Clause, ...]

    def clauses_at(self, position: str) -> list[_Clause]:
        """Return the clauses with a position: `_FIRST`, `_LAST` or `_ANYWHERE`."""
        return [clause for clause in self.clauses if clause.position == position]


@cache
def page_template(key: str) -> _PageTemplate:
    """Return the template of a page, such as `returns`.

    Raises `ValueError` if its files for `known` and `unseen` wordings have different clauses.
    """
    wordings = read_wordings(f"pages/{key}.txt", f"pages/unseen/{key}.txt")
    titles = wordings.pop("titles")
    clauses = []
    for name_and_position, wordings_of_clause in wordings.items():
        name, _, position = name_and_position.partition(" ")
        clauses.append(_Clause(name, position, wordings_of_clause))
    return _PageTemplate(titles, tuple(clauses))


# Writes a page of a world: its clauses with random wordings, in a random order and style.
#
# A page is written once for all worlds, as clauses with several wordings each. In one world its
# clauses are the items of a list, in another they have bold titles or headings, so an agent
# cannot find a rule by its place or its words.

NAME: Final = re.compile(r"\$([a-z_]+(?:\.[a-z_]+)*)")
"""A name in a wording, such as `$state.active`. A world has a value for it: `filling`."""
_LINE_WIDTH: Final = 110
"""The most characters in a line of a page."""


@dataclass(frozen=True, slots=True)
class _Style:
    """How the clauses of a page are shown."""

    template: str
    """`{}` is the clause's text, `{title}` its name, and `{number}` its number on the page."""
    is_compact: bool = False
    """True if the clauses follow each other without an empty line."""
    indent: str = ""
    """The beginning of each line of a clause after the first."""


_KNOWN_STYLES: Final = (
    _Style("- {}", is_compact=True, indent="  "),
    _Style("* {}", is_compact=True, indent="  "),
    _Style("{number}. {}", is_compact=True),
    _Style("{}"),
    _Style("## {title}\n\n{}"),
)
_UNSEEN_STYLES: Final = (
    _Style("{number}) {}", is_compact=True),
    _Style("**{title}.** {}", is_compact=True, indent="  "),
    _Style("### {number}. {title}\n\n{}"),
)
_STYLES: Final = {KNOWN: _KNOWN_STYLES, UNSEEN: _UNSEEN_STYLES}
"""The styles of a set of wordings, for the same reason as wordings; `mixed` has all of them."""


def _render(
    key: str, value_of: Callable[[str], object], rng: Random, wording_set: str
) -> str:
    """Return the text of a page, with random wordings, and clauses in a random order.

    Args:
        key: The name of the page's file, such as `returns`.
        value_of: Returns the value of a name in a wording: `state.active` -> `filling`. If a
            clause is only a name, and its value is empty, the clause is left out.
        rng: The source of the random choices.
        wording_set: Which wordings may be used: `known`, `unseen`, or `mixed` for all.
    """
    template = page_template(key)
    inner_clauses = template.clauses_at(_ANYWHERE)
    rng.shuffle(inner_clauses)
    clauses = [
        *template.clauses_at(_FIRST),
        *inner_clauses,
        *template.clauses_at(_LAST),
    ]
    style = rng.choice(_STYLES.get(wording_set, (*_KNOWN_STYLES, *_UNSEEN_STYLES)))
    title = rng.choice(template.titles.of(wording_set))
    blocks: list[str] = []
    for clause in clauses:
        wording = rng.choice(clause.wordings.of(wording_set))
        text = NAME.sub(lambda match: str(value_of(match[1])), wording)
        if text:
            blocks.append(_block(clause, text, style, number=len(blocks) + 1))
    gap = "\n" if style.is_compact else "\n\n"
    return f"# {title}\n\n" + gap.join(blocks) + "\n"


def _block(clause: _Clause, text: str, style: _Style, number: int) -> str:
    """Return a clause in the page's style. A table or a clause at a fixed position stays plain."""
    if "\n" in text or clause.position != _ANYWHERE:
        return f"{text}\n"
    title = clause.name.replace("_", " ").capitalize()
    shown = style.template.format(text, number=number, title=title)
    return "\n".join(_wrapped(line, style.indent) for line in shown.split("\n"))


def _wrapped(line: str, indent: str) -> str:
    """Break a long line at spaces. All lines but the first get the indent.

    `textwrap` takes ten times as long, and tests create thousands of pages.
    """
    lines = []
    width = _LINE_WIDTH
    while len(line) > width:
        end = line.rfind(" ", 0, width + 1)
        if end == -1:  # The first word is longer than the width.
            end = line.find(" ")
        if end == -1:
            break
        lines.append(line[:end])
        line = line[end + 1 :]
        width = _LINE_WIDTH - len(indent)
    lines.append(line)
    return f"\n{indent}".join(lines)


# The keys of the pages that the code refers to. `WorldNames.pages` has their paths.
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


def page_texts(facts: PageFacts) -> dict[str, Callable[[], str]]:
    """Return a function for each path of a page, which returns the page's text.

    Most worlds are read only in part, so a text is not made before it is needed.
    """
    pages: dict[str, Callable[[], str]] = {}
    for key, path in facts.names.pages.items():
        pages[path] = partial(_page_text, key, facts)
    return pages


def _page_text(key: str, facts: PageFacts) -> str:
    """Return the text of a page. It is the same each time."""
    rng = Random(f"{facts.names.page_seed}|{key}")
    return _render(key, facts.value_of, rng, facts.names.wording_set)


# Dated notices that override the pages of a world.
#
# The page on discounts says "up to 12 percent", and a notice of last Monday says "up to 15
# percent from today on". 15 is right. Some worlds also have decoys, which only appear to
# override a page.

# Writes the files of notices: `/docs/notices/2027-03-01-limits.md`, with a day and a text.
#
# A notice says that a rule is valid from a day on: "As of 2027-03-01, instead of what
# `/docs/discounts.md` says: ...". Its wording is random, from the set of wordings that the
# world uses.


class _NoticeFile(NamedTuple):
    """The path and text of a file in a world."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class _NoticeWriter:
    """Writes the notices of one world. A day is a text such as `2027-03-01`."""

    rng: Random
    names: WorldNames

    def limits_notice(self, day: str, limits: DiscountLimits) -> _NoticeFile:
        """Return the notice that these highest discounts are valid from a day on."""
        return self.notice(day, "limits", self.limits_text(day, limits))

    def limits_text(self, day: str, limits: DiscountLimits) -> str:
        """Return the sentence that these highest discounts are valid from a day on."""
        return self.wording(
            "notice-tiers",
            day=day,
            threshold=amount_text(limits.threshold_cents),
            high=limits.percent_from_threshold,
            low=limits.percent_below_threshold,
            page=self.names.pages[DISCOUNTS],
        )

    def wording(self, name: str, **values: object) -> str:
        """Return a random wording with its values filled in.

        `wording("notice-expired", day="2026-09-30")` -> "Valid until 2026-09-30."
        """
        template = self.rng.choice(self.names.wordings(name))
        return template.format(**values)

    def notice(self, day: str, subject: str, text: str) -> _NoticeFile:
        """Return the file of a notice: `/docs/notices/2027-03-01-limits.md`."""
        path = f"{self.names.notices}/{day}-{subject}.md"
        return _NoticeFile(path, f"# Notice of {day}\n\n{text}\n")


# Decoys: files that only appear to override a page, and have no effect.
#
# There are three: an expired copy of the page on discounts, a notice for a day in the future, and
# a rumour among colleagues. Their numbers are valid in no world, so an answer that follows
# one of them is wrong.


def _decoy_files(writer: _NoticeWriter, today: date) -> list[_NoticeFile]:
    """Return an expired copy of the discounts page, a notice for a future day, and a rumour."""
    rng = writer.rng
    limits = rng.choice(DISCOUNT_LIMITS)
    # No world has limits with these three numbers, nor with the percentage of the rumour.
    invalid_limits = DiscountLimits(
        threshold_cents=limits.threshold_cents + 1_000,
        percent_from_threshold=limits.percent_from_threshold + 5,
        percent_below_threshold=limits.percent_below_threshold + 3,
    )
    rumoured_percent = limits.percent_from_threshold + 8
    expired_day = (today - timedelta(days=rng.randint(200, 700))).isoformat()
    coming_day = (today + timedelta(days=rng.randint(2, 20))).isoformat()

    # An old copy of the discounts page: `/archive/discounts-2025.md`
    names = writer.names
    expiry_text = writer.wording("notice-expired", day=expired_day)
    limits_text = writer.limits_text(expired_day, invalid_limits)
    page_name = names.pages[DISCOUNTS].rsplit("/", 1)[1].removesuffix(".md")
    expired_page = _NoticeFile(
        f"{names.expired_folder}/{page_name}-{expired_day[:4]}.md",
        f"# Discounts\n\n{expiry_text}\n\n{limits_text}\n",
    )
    coming_notice = writer.limits_notice(coming_day, invalid_limits)
    # Notes in which somebody has heard of a higher discount
    rumour = writer.wording("rumour", percent=rumoured_percent)
    notes = _NoticeFile(
        f"{names.rumour_folder}/notes.md", f"# Notes of the team\n\n{rumour}\n"
    )
    return [expired_page, coming_notice, notes]


@dataclass(frozen=True, slots=True)
class WorldNotices:
    """The notices of a world, and the policy that its pages state in spite of them."""

    stated_policy: Policy
    """The policy that the pages state. `World.policy` is the valid one.

    Where the two differ, a notice has the valid value. Without notices, they are the same.
    """
    rule: str = ""
    """A sentence for the page of rules: "Notices override pages." Empty if there are none."""
    files: tuple[_NoticeFile, ...] = ()
    """The notices, and possibly decoys, which contradict them."""


def choose_notices(
    rng: Random, policy: Policy, names: WorldNames, today: date, *, with_decoys: bool
) -> WorldNotices:
    """Choose what the pages state wrongly, and the notices that override it.

    `policy` is the valid one. The pages state other discount limits and, in half of the
    worlds, another role for refunds.
    """
    writer = _NoticeWriter(rng, names)
    # No basket can mistake these limits for the valid ones: all have another threshold.
    valid = policy.discounts.threshold_cents
    others = [limits for limits in DISCOUNT_LIMITS if limits.threshold_cents != valid]
    wrong_limits = rng.choice(others)
    stated_policy = replace(policy, discounts=wrong_limits)
    day = (today - timedelta(days=rng.randint(0, 9))).isoformat()
    files = [writer.limits_notice(day, policy.discounts)]
    if rng.random() < 0.5:
        stated_policy = replace(stated_policy, refund_role=names.roles["desk"])
        role_page = names.pages[RETURNS]
        text = writer.wording(
            "notice-role", day=day, role=policy.refund_role, page=role_page
        )
        files.append(writer.notice(day, "refunds", text))

    if with_decoys:
        files += _decoy_files(writer, today)
    rule = writer.wording("notices", folder=names.notices)
    return WorldNotices(stated_policy, rule, tuple(files))
