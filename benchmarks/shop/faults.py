"""Reasons (faults) for which a call that changes something is stopped before it is sent.

For example, the call `/bin/checkout basket-2` is stopped if the basket belongs to somebody else.
There is a module for each kind of call. `pre_call_check` asks the one that fits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import zip_longest
from typing import Final, NamedTuple

import re2

from controlplane.benchmarks.shop.branches import (
    BranchStock,
    branches_named_by,
    fields_of_stock,
)
from controlplane.benchmarks.shop.products import (
    BasketLine,
    Catalogue,
    CheckedBasket,
    catalogue_of,
    checked_basket,
)
from controlplane.benchmarks.shop.texts import (
    amount_text,
    entries_of,
    marked_words,
    money_in_text,
    require,
)
from controlplane.benchmarks.shop.workspace.documents import stock_notes
from controlplane.benchmarks.shop.workspace.fields import Data, Shape, shape_of
from controlplane.benchmarks.shop.workspace.kinds import Kind, is_document
from controlplane.benchmarks.shop.workspace.reading import is_same_id
from controlplane.benchmarks.shop.workspace.records import WorkspaceRecord
from controlplane.benchmarks.shop.workspace.staff import lacked_roles, reference_to
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout
from controlplane.gates.paths import record_id
from controlplane.sandbox.functions import CannotRead, Reference

# Reasons against buying a basket: its owner, its state, and lines that the branch cannot supply.
#
# A line of a basket is a product and a number of units. Before `/bin/checkout basket_1` is run, the
# model is told that "line 1 of basket_1 asks for 4 of AB-1, and store_graz has 3 available today".


def checkout_faults(layout: ShopLayout, basket: WorkspaceRecord) -> Iterator[str]:
    """Yield the reasons why a basket cannot be bought: "basket_1 is `paid`, and not `open`"."""
    if not is_same_id(basket.owner, layout.asker.user):
        yield f"the basket {basket.id} does not belong to whoever is signed in"
    yield from _state_and_stock_faults(layout, basket)


def _state_and_stock_faults(
    layout: ShopLayout, basket: WorkspaceRecord
) -> Iterator[str]:
    """Yield a fault if a basket is not open, or else one for each line that cannot be supplied."""
    if basket.state != layout.open_state:
        yield f"{basket.id} is `{basket.state}`, and not `{layout.open_state}`"
        return
    checked = _basket_with_stock(layout, basket.path)
    short_lines = [line for line in checked.lines if line.is_short]
    # A page may correct the stock in the records, such as a day book of deliveries. Then lines
    # that are short by the records may be in stock, so there is no certain fault.
    if short_lines and stock_notes(layout.documents):
        return
    for number, line in enumerate(checked.lines, 1):
        if line.is_short and not _may_suffice(layout, line, checked.notes):
            yield (
                f"line {number} of {basket.id} asks for {line.quantity} of {line.code}, and "
                f"{checked.branch.id} has {line.available} available today"
            )


def _may_suffice(layout: ShopLayout, line: BasketLine, notes: Sequence[str]) -> bool:
    """Return True if the branch may have enough although a line looks short.

    A line with 4 of AB-1, of which 0 are available, may have enough if

    - a note on the product says so: "AB-1 has `replaced_by` AB-2";
    - AB-1 may be a download, which needs no units. This is possible only if no policy of the
      shop says how downloads are marked.
    """
    has_note = any(note.startswith(line.code) for note in notes)
    if has_note:
        return True
    knows_downloads = catalogue_of(layout).stockless_mark is not None
    return line.available == 0 and not knows_downloads


@lru_cache(maxsize=1)
def _basket_with_stock(layout: ShopLayout, path: str) -> CheckedBasket:
    """Return the basket at a path beside the stock of its branch.

    The last basket is kept, because the checks of stock and of limits both need it.
    """
    return checked_basket(layout, path)


# Compares a table that a model has written with the right one, and tells the differences.
#
#     written             right
#     SKU,2027-03-01      SKU,2027-03-01
#     AB-1,5              AB-1,4
#
# -> "line 1: `2027-03-01` is '5', and the records give '4'"

Table = list[list[str]]
"""The rows of a table, with the header first."""


@dataclass(frozen=True, slots=True)
class JudgedTable:
    """The result of comparing a written table with the right one."""

    references: tuple[Reference, ...]
    """The files from which the right table was computed."""
    faults: list[str]
    """Texts about the first cells that differ, or the missing rows; empty if the table is right."""


def table_of(text: str, separator: str) -> Table:
    """Return the rows of a written table, without blank lines."""
    return [line.split(separator) for line in text.splitlines() if line.strip()]


_MAX_DIFFERENCES: Final = 3
"""The most differing cells or missing rows that a message names."""


def differences(written: Table, right: Table, code_column: int) -> list[str]:
    """Return texts on the first cells of a table that differ from the right ones.

    Both tables have a header, and each row has the code of a product in `code_column`. If the
    number of rows is wrong, only that is told, because then all rows below would differ.
    """
    if len(written) != len(right):
        # The header is not counted.
        fault = f"the table has {len(written) - 1} rows, and {len(right) - 1} are due"
        missing = _missing_codes(written, right, code_column)
        if missing:
            fault += f"; no row is about {', '.join(missing[:_MAX_DIFFERENCES])}"
        return [fault]
    faults = []
    header = right[0]
    for number in range(1, len(right)):
        cells = zip_longest(header, written[number], right[number], fillvalue="")
        for column, written_cell, right_cell in cells:
            if written_cell != right_cell:
                faults.append(
                    f"line {number}: `{column}` is {written_cell!r}, "
                    f"and the records give {right_cell!r}"
                )
    if len(faults) > _MAX_DIFFERENCES:
        more = len(faults) - _MAX_DIFFERENCES
        return [*faults[:_MAX_DIFFERENCES], f"{more} more cells differ"]
    return faults


def _missing_codes(written: Table, right: Table, code_column: int) -> list[str]:
    """Return the codes in the right table that occur in no cell of the written one."""
    written_cells = {cell for row in written for cell in row}
    codes = [row[code_column] for row in right]
    return [code for code in codes if code not in written_cells]


# A run of a tool, and the command on a shop's page that describes such runs.
#
# The page says "Managers run `/bin/discount <basket_id> <percent>`." This command describes the
# run `/bin/discount basket_12 10`: `<percent>` is 10. So the run can be compared with what the page
# says about percentages.


@dataclass(frozen=True, slots=True)
class ToolCommand:
    """A run of a tool: `/bin/discount basket_12 10`."""

    tool: str
    arguments: Sequence[str]

    @property
    def text(self) -> str:
        """The run as a command line."""
        return " ".join((self.tool, *self.arguments))


@dataclass(frozen=True, slots=True)
class Command:
    """A command on a page, with the arguments of a run that it describes."""

    page: str
    """The path of the page."""
    text: str
    """The text of the page."""
    entry: str
    """The paragraph or list entry of the page that contains the command."""
    entries_before: tuple[str, ...]
    """The entries above it that belong to it: `Only managers give a discount, ...`.

    They go back to the last heading, or to another command of the tool, because the text
    above that is about something else.
    """
    arguments: Mapping[str, str]
    """The run's arguments by placeholder: `{"basket_id": "basket_12", "percent": "10"}`."""

    def argument_for(self, word: str) -> str:
        """Return the argument whose placeholder contains a word; empty if there is none."""
        for placeholder, argument in self.arguments.items():
            if word in placeholder:
                return argument
        return ""


# Finds products that a list probably lacks, because it has most others of the same group.
#
# A group is all products with the same text in some field, such as `"family": "Lea"`. A list
# with two of the three Lea tarps has probably forgotten the third.

_TEXT_FIELD: Final = re.compile(r'"([^"\\]+)":[ \t]*"([^"\\]*)"')
"""A field with a text, in a line of JSON: `"family": "Lea"`."""


class _FieldText(NamedTuple):
    """A field of products and a text in it: `family` and `Lea`."""

    field: str
    text: str


def _missing_siblings(catalogue: Catalogue, codes: Sequence[str]) -> list[str]:
    """Return the codes that a list of products probably lacks.

    They are the rest of the smallest group that contains the whole list, if the list has
    more than half of that group.
    """
    records = catalogue.data_of(codes)
    if len(records) < 2:
        return []
    shared_texts = _shared_texts(records)
    if not shared_texts:
        return []
    groups = _groups_with(catalogue, shared_texts)
    smallest_group = min(groups, key=len)
    has_more_than_half = 2 * len(records) > len(smallest_group)
    if not has_more_than_half:
        return []
    return sorted(smallest_group.difference(codes))


def _shared_texts(records: Sequence[Data]) -> set[_FieldText]:
    """Return the texts that all records have in the same field."""
    texts_of_records = []
    for data in records:
        texts = set()
        for key, value in data.items():
            if isinstance(value, str):
                texts.add(_FieldText(key, value))
        texts_of_records.append(texts)
    return set.intersection(*texts_of_records)


def _groups_with(catalogue: Catalogue, texts: Iterable[_FieldText]) -> list[set[str]]:
    """Return the group for each text: the codes of the products that have it in its field.

    family `Lea` -> {"AB-1", "AB-2"}
    """
    # One search finds the lines of all texts.
    patterns = []
    for field, text in sorted(texts):
        patterns.append(f'"{re2.escape(field)}":[ \t]*"{re2.escape(text)}"')
    lines = catalogue.lines_with("|".join(patterns))

    # The fields in each line tell which text was found.
    codes: dict[_FieldText, set[str]] = {text: set() for text in texts}
    for path, line in lines:
        for field, text in _TEXT_FIELD.findall(line):
            field_text = _FieldText(field, text)
            if field_text in codes:
                codes[field_text].add(record_id(path))
    return list(codes.values())


# Reads the shop's page that says how a cross list is written.
#
# A cross list is a table that says for each product of a competitor which one of the shop can
# replace it. Its columns are the same in all shops, but each shop chooses the words of its cells. The
# page gives them in backticks: "If the branch is closed, the `reason` is `branch is closed`."

COLUMNS: Final = (
    "line_no",
    "competitor_code",
    "requested_description",
    "requested_qty",
    "branch_id",
    "branch_open",
    "match_status",
    "matched_sku",
    "matched_product_name",
    "available_today",
    "fulfillable_qty",
    "short_qty",
    "reason",
)
FIRST_COLUMN: Final = COLUMNS[0]
_COLUMNS_ON_PAGE: Final = " ".join(COLUMNS)
"""The columns as the page has them: all in one pair of backticks."""


@dataclass(frozen=True, slots=True)
class CrossListWords:
    """The shop's words for the cells `match_status` and `reason` of a cross list."""

    status_of_match: str
    """If the shop's product has the required properties: `exact`."""
    status_of_mismatch: str
    """If it does not have them: `property_mismatch`."""
    reason_mismatch: str
    """`properties do not match`"""
    reason_closed: str
    """`branch is closed`"""
    reason_enough: str
    """If the branch has as many units as were requested: `requested quantity available`."""
    reason_short: str
    """If it has fewer: `insufficient stock`."""


_WORD_PATTERNS: Final = {
    "status_of_match": r"^exact$",
    "status_of_mismatch": r"^\w*mismatch$",
    "reason_mismatch": r"\bnot\b.* match",
    "reason_closed": r"\w .*\bclosed\b",  # not `closed` alone, which is a state of branches
    "reason_enough": r" .*\bquantity available\b",  # after other words
    "reason_short": r"\binsufficient\b",
}
"""For each field of `CrossListWords`, the pattern of the text in backticks that it holds."""


@dataclass(frozen=True, slots=True)
class _CrossListPage:
    """The page that says how a cross list is written."""

    path: str
    marked_texts: frozenset[str]
    """The texts in backticks, such as `branch is closed`."""

    def result_words(self) -> CrossListWords:
        """Return the shop's words for results.

        Raises `CannotRead` unless exactly one text in backticks matches each pattern.
        """
        words = {}
        for name, pattern in _WORD_PATTERNS.items():
            matching = [text for text in self.marked_texts if re.search(pattern, text)]
            require(
                len(matching) == 1,
                "the page on cross lists does not name each state and each reason once",
            )
            words[name] = matching[0]
        return CrossListWords(**words)


def page_on_cross_lists(layout: ShopLayout) -> _CrossListPage | None:
    """Return the only document that names the columns of a cross list; None for none or several."""
    pages = []
    for path, text in layout.documents.texts.items():
        marked = frozenset(marked_words(" ".join(text.split())))
        if _COLUMNS_ON_PAGE in marked:
            pages.append(_CrossListPage(path, marked - {_COLUMNS_ON_PAGE}))
    return pages[0] if len(pages) == 1 else None


# Reasons against a discount on a basket, by what a shop's page says about discounts.
#
# The page says: "Staff with the role `floor_lead` give up to 10 % for `damaged` goods with
# `/bin/discount <basket_id> <percent> <reason>`."
#
# | run | fault |
# |---|---|
# | `/bin/discount basket_1 12 damaged` | the page knows no more than 10 percent |
# | `/bin/discount basket_1 5 birthday` | `birthday` is not among the reasons of the page |
# | any, by emp_4, who is no `floor_lead` | emp_4 has none of the roles floor_lead |
#
# What the page leaves open is not judged.

_TODAYS_STOCK: Final = re.compile(
    r"\b(?:available|checked out|bought|sold|sell|in stock)\b[^.]*\btoday\b|\btoday\b[^.]*\bstock\b"
)
"""Words of a page which say that a basket must be in stock today to get a discount."""


def discount_faults(
    layout: ShopLayout, basket: WorkspaceRecord, command: Command
) -> Iterator[str]:
    """Yield the reasons why the asker cannot give this discount on a basket.

    `command` is the command on a page that describes the call, with the call's arguments:
    `percent`, and on some pages `reason` and `issuer`, the member of staff who gives it.
    """
    asker = layout.asker
    if not asker.is_staff:
        yield f"{asker.user or 'a guest'} is not a member of staff"
        return
    page_text = " ".join(command.text.split())
    # If a notice has changed the page on discounts, its roles and limits may no longer hold, so
    # they are not compared.
    is_amended = layout.policies.is_amended(command.page)

    # 1. Who gives the discount?
    issuer = command.argument_for("issuer")
    if issuer and not is_same_id(issuer, asker.user):
        yield f"{issuer} is named as the issuer, and {asker.user} is signed in"
    if not is_amended:
        yield from role_faults(layout, page_text)
    if _are_at_different_branches(layout, basket):
        yield f"{basket.id} and {asker.user} are of different branches"

    # 2. Is there a discount already, and is the reason one of the page's?
    yield from _repeated_discount(basket, page_text)
    yield from _reason_faults(command.argument_for("reason"), page_text)

    # 3. Is the basket open and, if the page requires this, is each line in stock today? For a
    #    basket that is not open, `_state_and_stock_faults` yields just that.
    is_open = basket.state == layout.open_state
    requires_stock = _TODAYS_STOCK.search(page_text) is not None
    if requires_stock or not is_open:
        yield from _state_and_stock_faults(layout, basket)

    # 4. Is the percentage too high?
    percent = command.argument_for("percent")
    if percent.isdecimal() and not is_amended:
        yield from _limit_faults(layout, basket, int(percent), page_text)


def role_faults(layout: ShopLayout, text: str) -> Iterator[str]:
    """Yield a fault if the asker has none of the roles of which a text, such as a page, requires one."""
    roles = lacked_roles(layout, text)
    if roles:
        yield f"{layout.asker.user} has none of the roles {', '.join(sorted(roles))}"


def _repeated_discount(basket: WorkspaceRecord, page_text: str) -> Iterator[str]:
    """Yield a fault if a basket has a discount already: `{"discount": {"percent": 5}}`.

    Shops choose the field's name, and their page on discounts has it in backticks.
    """
    marked = set(marked_words(page_text))
    for key, value in basket.data.items():
        if key in marked and shape_of(value) is Shape.MAPPING:
            yield f"{basket.id} has a `{key}` already"
            return


def _reason_faults(reason: str, page_text: str) -> Iterator[str]:
    """Yield a fault if a page lists reasons, such as `damaged`, but not this one.

    Reasons are single words in backticks. If a page has none, any reason may be right.
    """
    marked = set(marked_words(page_text))
    lists_reasons = any(shape_of(word) is Shape.WORD for word in marked)
    if reason and lists_reasons and reason not in marked:
        yield f"`{reason}` is not among the reasons of the page"


def _are_at_different_branches(layout: ShopLayout, basket: WorkspaceRecord) -> bool:
    """Return True if the asker works at another branch than the basket's.

    The result is False if this is not certain: each record must name a single branch.
    """
    staff = layout.records.record(layout.asker.user)
    if staff is None:
        return False
    of_basket = branches_named_by(layout, basket)
    of_staff = branches_named_by(layout, staff)
    if len(of_basket) != 1 or len(of_staff) != 1:
        return False
    return of_basket != of_staff


_PERCENT: Final = re.compile(r"(?<![\w.,])(\d{1,3}) ?(?:%|percent\b)")
"""`5 %`"""
_MONEY: Final = re.compile(r"(?:EUR|€)\s*\d[\d.,]*\d|\d[\d.,]*\s*(?:EUR|€)")
"""`EUR 100.00`, `100 €`"""


def _limit_faults(
    layout: ShopLayout, basket: WorkspaceRecord, percent: int, page_text: str
) -> Iterator[str]:
    """Yield a fault if a discount is higher than a page allows.

    | page | a fault is |
    |---|---|
    | "up to 10 %" | 12 % |
    | "up to 5 %, and up to 10 % from EUR 100" | 12 %, or 8 % for a basket below EUR 100 |

    Every page with two percentages and one amount is read like the second one.
    """
    limits = {int(amount) for amount in _PERCENT.findall(page_text)}
    limits -= {1}  # A step, and not a limit: "discounts in 1 percent steps".
    if not limits:
        return
    lowest = min(limits)
    highest = max(limits)
    if percent > highest:
        yield f"the page knows no more than {highest} percent"
        return
    amounts = {money_in_text(amount) for amount in _MONEY.findall(page_text)}
    has_threshold = len(limits) == 2 and len(amounts) == 1
    if has_threshold and percent > lowest:
        threshold = amounts.pop() or 0
        subtotal = _basket_with_stock(layout, basket.path).subtotal_cents
        if subtotal < threshold:
            yield (
                f"the lines come to {amount_text(subtotal)}, which is below "
                f"{amount_text(threshold)}: {lowest} percent is the most"
            )


# Finds the command on a shop's page that describes a run of a tool.
#
# A page says how to run a tool, and when:
#
#     ## Discounts
#     Only managers give a discount, of at most 15 percent.
#     - Run `/bin/discount <basket_id> <percent>`.
#
# The command in backticks describes the run `/bin/discount basket_12 10`: the last argument is
# the percentage. The text above the command says when such a run is right.


def command_for(layout: ShopLayout, run: ToolCommand) -> Command:
    """Return the command that describes a run: `/bin/refund <return_id>` for `/bin/refund return_12`.

    Raises `CannotRead` if no page has such a command, or if several pages have one.
    """
    commands = _commands_in(layout.documents.texts, run)
    if not commands:
        # `layout.documents` are the pages that the shop's rules name. Another page may say
        # how to run the tool.
        unnamed_pages = set()
        for path, _ in layout.reader.search(re.escape(run.tool), "/"):
            if is_document(path) and path not in layout.documents.texts:
                unnamed_pages.add(path)
        paths = sorted(unnamed_pages)
        texts = dict(zip(paths, layout.reader.read_all(paths), strict=True))
        commands = _commands_in(texts, run)
    refusal = f"{len(commands)} pages tell how to run {run.tool} with {len(run.arguments)} words"
    require(len(commands) == 1, refusal)
    return commands[0]


def _commands_in(pages: Mapping[str, str], run: ToolCommand) -> list[Command]:
    """Return the first command of each page that describes a run."""
    commands = []
    for page, text in pages.items():
        if run.tool in text:
            command = _first_command(page, text, run)
            if command is not None:
                commands.append(command)
    return commands


def _first_command(page: str, text: str, run: ToolCommand) -> Command | None:
    """Return the first command on a page that describes a run; None if the page has none.

    Of the example above, it has the entry "- Run ..." and, as `entries_before`, the sentence
    "Only managers ...".
    """
    entries_before: list[str] = []
    for entry in entries_of(text):  # headings, paragraphs, and items of lists
        commands = _commands_of_tool(run.tool, entry)
        for words in commands:
            arguments = _arguments_by_placeholder(words, run.arguments)
            if arguments is not None:
                return Command(page, text, entry, tuple(entries_before), arguments)
        # After a heading, or another command of the tool, the text is about something else.
        if commands or entry.startswith("#"):
            entries_before = []
        else:
            entries_before.append(entry)
    return None


def _commands_of_tool(tool: str, entry: str) -> list[list[str]]:
    """Return the words after the tool in each command that an entry has in backticks.

    `/bin/refund`, "Run `/bin/refund <return_id>`." -> `[["<return_id>"]]`
    """
    commands = []
    for marked in marked_words(entry):
        words = marked.split()
        if words[:1] == [tool]:
            commands.append(words[1:])
    return commands


def _arguments_by_placeholder(
    words: Sequence[str], arguments: Sequence[str]
) -> dict[str, str] | None:
    """Return the arguments of a run by the placeholders of a command; None if they do not fit.

    `["<basket_id>", "--percent", "<percent>"]` in the command and `["basket_12", "--percent",
    "10"]` in the run -> `{"basket_id": "basket_12", "percent": "10"}`
    """
    if len(words) != len(arguments):
        return None
    by_placeholder = {}
    for word, argument in zip(words, arguments, strict=True):
        is_placeholder = word.startswith("<")
        if is_placeholder:
            by_placeholder[word.strip("<>")] = argument
        elif word != argument:
            return None
    return by_placeholder


# Judges an export of stock that a model has written: the units of a branch's products by day.
#
#     SKU,2027-03-01,2027-03-02
#     AB-1,4,12
#
# On the first day, which is today, 4 units can be sold. On the next day, 12 more arrive. An export
# does not name its branch, so it is compared with the branch whose stock is most like it.


def judge_export(layout: ShopLayout, written: Table) -> JudgedTable:
    """Compare an export of stock with that of the branch that agrees with most of its rows."""
    # 1. Read the codes and the days: the header is `SKU,2027-03-01,2027-03-02`.
    header, *rows = written
    codes = [row[0] for row in rows]
    catalogue = catalogue_of(layout)
    unknown = [code for code in codes if code not in catalogue.codes]
    if unknown:
        fault = f"no product is called {', '.join(unknown[:_MAX_DIFFERENCES])}"
        return JudgedTable((), [fault])
    days_ahead = _days_from_today(layout, header[1:])
    forgotten_codes = _missing_siblings(catalogue, codes)

    # 2. Find the branch. A wrong one has the right stock of a few products by chance, but not of
    #    half of them.
    likeliest = _most_similar(_stocks_of_branches(layout), rows, days_ahead)
    agreeing_rows = _equal_rows(likeliest, rows, days_ahead)
    require(2 * agreeing_rows >= len(rows), "no branch has half of the rows")

    # 3. Compute the right export. It also has a row for each product that the written one has
    #    probably forgotten: only its code, because the message names no more.
    right = [header]
    for code in codes:
        right.append(_export_row(likeliest, code, days_ahead))
    for code in forgotten_codes:
        right.append([code])
    reference = reference_to(likeliest.branch, Kind.BRANCH)
    return JudgedTable((reference,), differences(written, right, _CODE_COLUMN))


_CODE_COLUMN: Final = 0
"""The column of an export with the codes of products."""


def _stocks_of_branches(layout: ShopLayout) -> list[BranchStock]:
    """Return the stocks of all branches of the shop."""
    branches = layout.raw_records.read(layout.kinds.group(Kind.BRANCH).paths)
    # All branches of a shop have the same fields. Their names are learned only once.
    fields = fields_of_stock(layout, branches[0])
    return [BranchStock(branch, fields) for branch in branches]


def _days_from_today(layout: ShopLayout, days: Sequence[str]) -> list[int]:
    """Return the number of days from today to each ISO day: 0 for today, 1 for tomorrow.

    Raises `CannotRead` for other texts.
    """
    try:
        today = datetime.fromisoformat(layout.clock[: len("YYYY-MM-DD")])
        return [(datetime.fromisoformat(day) - today).days for day in days]
    except ValueError as error:
        raise CannotRead(str(error)) from None


def _most_similar(
    stocks: Sequence[BranchStock], rows: Table, days_ahead: list[int]
) -> BranchStock:
    """Return the stock that agrees with the most rows of an export.

    `rows` are those without the header: `[["AB-1", "4", "0"]]` for the `days_ahead` 0 and 1.
    To save time, all stocks are compared on the first day only, and the best of them on all
    days.
    """
    first_day = days_ahead[:1]
    equal_rows = [_equal_rows(stock, rows, first_day) for stock in stocks]
    most = max(equal_rows)
    candidates = []
    for stock, count in zip(stocks, equal_rows, strict=True):
        if count == most:
            candidates.append(stock)
    return max(candidates, key=lambda stock: _equal_rows(stock, rows, days_ahead))


def _equal_rows(stock: BranchStock, rows: Table, days_ahead: list[int]) -> int:
    """Return the number of rows that agree with a branch's stock on these days.

    `rows` are those of an export, without its header. Further cells of a row are ignored.
    """
    equal = 0
    for row in rows:
        code_and_days = row[: 1 + len(days_ahead)]
        if _export_row(stock, row[0], days_ahead) == code_and_days:
            equal += 1
    return equal


def _export_row(stock: BranchStock, code: str, days_ahead: list[int]) -> list[str]:
    """Return the row of a product in an export: `["AB-1", "4", "0", "12"]`.

    After the code come the units that can be sold today (day 0), or that arrive on a later
    day.
    """
    row = [code]
    for day in days_ahead:
        # `within` counts the units available today and those of all deliveries up to the day.
        units = stock.units(code, day).within
        if day != 0:
            units -= stock.units(code, day - 1).within
        row.append(str(units))
    return row
