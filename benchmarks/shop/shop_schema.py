"""The calls and functions that a shop offers, as its environment declares them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    DocumentDates,
    EachOf,
    Executable,
    ExecutableKind,
    FileArguments,
    InitialCall,
    NamedFiles,
    Operation,
    Parameter,
    Plain,
    RecordOwners,
    ResultField,
    ToolSchema,
)
from controlplane.sandbox.interface.outcomes import PLATFORM_OUTCOMES

if TYPE_CHECKING:
    from controlplane.agent.exoskeleton import AskDraftCheck, Completion, SolverBindings

# The tools of a shop in `/bin`, declared for those who judge or record the calls of a script.
#
# `/bin/cat` only reads, and `/bin/checkout` changes records, so it is checked before it is run.
# For some tools, `files` says which of their arguments are files that they read. After
# `/bin/cat -n /docs/returns.md`, the script has read the page, so an answer may cite it.

_READS: Final = ExecutableKind.READS
_CHANGES: Final = ExecutableKind.CHANGES

EXECUTABLES: Final = (
    # `/bin/availability /proc/stores/store_graz.json AB-1`: one file, and then other arguments
    Executable(
        "/bin/availability",
        _READS,
        "what a branch can sell",
        files=FileArguments(count=1),
    ),
    # `/bin/cat -n /docs/returns.md /docs/stock.md`: any number of files. `options` are those that
    # take no argument, so the word after them is a file.
    Executable("/bin/cat", _READS, files=FileArguments(options=("-n", "--number"))),
    Executable("/bin/checkout", _CHANGES),
    Executable("/bin/date", _READS),
    Executable("/bin/discount", _CHANGES),
    Executable("/bin/id", _READS),
    # `/bin/jq -r .status /proc/carts/basket_1.json`: the first argument is not a file
    Executable(
        "/bin/jq",
        _READS,
        files=FileArguments(first=1, options=("-r", "--raw-output")),
    ),
    Executable("/bin/payments", _CHANGES, "restarts verification"),
    Executable("/bin/refund", _CHANGES),
    Executable("/bin/sql", _READS, "queries the records"),
)
"""The tools of `/bin`, the same in the embedded world and on the remote platform."""


# Declares the Python functions of a shop that others may call by name.
#
# There are two kinds:
#
# - functions for the scripts that the model writes: `harness.tools.stock_at(["AB-1"], "Graz Centre")`;
# - checks for the program that asks the model, for example to refuse a request at once.
#
# The model reads the declaration of `stock_at` in its prompt as
# `stock_at(products: list[str], branch: str, days: int = 0)`, with a summary of the result.

_RESULT_FIELDS: Final = (
    ResultField("value"),  # what the function has found out
    ResultField("refs", ("path", "reason")),  # the files that an answer by it cites
    ResultField("notes"),  # texts on what is uncertain or was left out
)


_FUNCTIONS: Final = "controlplane.benchmarks.shop.functions"
"""The module by which journals name each function, wherever it is written."""

FUNCTION_MODULES: Final = (_FUNCTIONS,)
"""What a run imports before the first call."""


def _declared(
    name: str, summary: str, **parameters: str | tuple[str, Any]
) -> Operation:
    """Declare a function of the shop. The model reads its name, parameters and `summary`.

    `name` is its name in `benchmarks/shop/functions.py`: `stock_at`. A parameter is given by
    its type, or by its type and default:

        _declared("branches_in", "[{id, name}] of a city", place="str")
        _declared("cheapest", "{sku}", below_cents=("int", 0))
    """
    declared = []
    for parameter, form in parameters.items():
        if isinstance(form, str):
            declared.append(Parameter(parameter, form))
        else:
            type_name, default = form
            declared.append(Parameter(parameter, type_name, default))
    return Operation(
        name,
        tuple(declared),
        _RESULT_FIELDS,
        summary,
        finds=f"{_FUNCTIONS}:{name}",
    )


def _preflight(name: str, summary: str) -> Operation:
    """Declare a check that a solver runs before it asks the model (`PREFLIGHT`).

    Its parameter `intent` is what the request asks for, as a small model, the
    classifier, reads it. It is JSON.
    """
    return _declared(name, summary, request="str", intent="str")


# Functions that scripts call as `harness.tools.NAME`, in the order of the prompt.
SHOP_TOOLS: Final = (
    _declared("read_all", "the text, where read cuts it", path="str"),
    _declared("who_asks", "{user, roles, is: customer, staff or guest}"),
    _declared(
        "workspace_layout",
        "{roots: {kind: folder}, policies: {subject: path}, open_state, yes, no}",
    ),
    _declared("staff_with_role", "3 people", role="str", branch=("str", "")),
    _declared(
        "may_use",
        "{kind, owner, state, see, change (None: by role), cite}",
        record="str",
    ),
    _declared(
        "match_products",
        "[{sku, name, price_cents, properties}]; must: 'persons 2'",
        description="str",
        must=("list[str]", []),
        must_not=("list[str]", []),
        below_cents=("int", 0),
    ),
    _declared(
        "stock_at",
        "{sku: {on_hand, reserved, available, within}}",
        products="list[str]",
        branch="str",
        days=("int", 0),
    ),
    _declared("branches_in", "[{id, name, is_open}] of a city", place="str"),
    _declared(
        "check_basket",
        "{state, is_open, subtotal_cents, lines: [{sku, ..}], short: [sku]}",
        basket="str",
    )._replace(example='check_basket("basket-2")'),
    _declared(
        "find_records",
        "[{path, id, owner, state}] by a field's value; products whole",
        kind="str",
        field=("str", ""),
        value=("str", ""),
    ),
    _declared(
        "linked_records",
        "[{path, id, kind}] that it names or that name it",
        record="str",
    ),
    _declared(
        "pick_basket",
        "['basket-2']: own open ones, newest or oldest",
        selector=("str", ""),
    ),
    _declared(
        "settle_receipt",
        "{lines: [{sku, quantity, ..}], subtotal_now_cents, within, can_be_bought}",
        path=("str", ""),
        tolerance_cents=("int", 0),
    ),
    _declared(
        "fraud_rows",
        "{rows: [{id, cents, customer}], total, total_cents, rules}; no notices applied",
        path="str",
    ),
    _declared(
        "dispatch_plan",
        "{answer, expected_cost_cents, expected_gain_cents}",
        path="str",
        late_cents=("int", 0),
        delays=("object", {}),
    ),
    _declared(
        "retry_moment",
        "{state, attempts, max_attempts, retry_at, passed}: bank check",
        payment="str",
    ),
    _declared("relative_date", "'31-12-2027', in its form", request="str"),
)
_ANSWERING_CHECKS: Final = (
    "refuse_request",
    "clean_up",
    "plan_wave",
    "ask_which_basket",
)
"""The checks that may answer a request before the model is asked, in order: security first."""
PREFLIGHT: Final = (*_ANSWERING_CHECKS, "tell_city_stock")
"""All checks before the model, in order. The last one only tells the model something."""

# Functions that solvers call, the programs that answer requests with or without a model.
SHOP_CHECKS: Final = (
    _preflight("permitted_changes", "what a request may change"),
    _declared(
        "order_references",
        "an answer with its references in order",
        request="str",
        answer="object",
        findings="str",
        in_order="bool",
    ),
    _declared(
        "pre_call_check",
        "judges a call before it is made",
        operation="str",
        arguments="object",
    ),
    *(_preflight(name, "may answer before the model") for name in _ANSWERING_CHECKS),
    _preflight("tell_city_stock", "tells the model something beforehand"),
)
_PRE_CALL_CHECK: Final = "ecom/pre-call-check"
"""The rule `pre-call-check` of the rule set `ecom`.

If a run uses this rule, the operation `pre_call_check` judges each call that changes
something before it is sent.
"""


# What a shop adds to solvers, the programs that answer requests with or without a model.
#
# For example, a solver refuses forbidden requests by the shop's checks before it asks a model,
# and puts a message into the form that the request wants (`YES` instead of "Yes, it is open.").


def shop_bindings() -> SolverBindings:
    """Return what a shop adds to solvers: checks, task types, revision and formatting."""
    # Imported here, because most runs use another solver, which needs none of these.
    from controlplane.agent.exoskeleton import SolverBindings
    from controlplane.benchmarks.shop.answering import formatted_message
    from controlplane.benchmarks.shop.preflight import INTENT_SCHEMA

    return SolverBindings(
        intent_schema=INTENT_SCHEMA,
        preflight=PREFLIGHT,
        # The names of two checks in `SHOP_CHECKS`.
        permission="permitted_changes",
        references="order_references",
        task_types=(
            "count",
            "stock_count",
            "stock_lookup",
            "product",
            "receipt_price",
            "checkout",
            "discount",
            "verification",
            "refund",
            "fraud",
            "other",
        ),
        revise=revise,
        put_in_form=formatted_message,
    )


def revise(
    answer: Completion, texts: Mapping[str, str], ask_reviewer: AskDraftCheck
) -> Completion:
    """Return a solver's answer with what answers on discounts and verifications usually lack.

    "Not allowed." -> "Not allowed. The maximum is 10 %." `texts` are the files that were read,
    by path, and `ask_reviewer` asks a second model.
    """
    # Imported here for the same reason.
    from controlplane.benchmarks.shop.payments import (
        review_payment,
        with_largest_discount,
    )

    if answer.task_type == "discount":
        return with_largest_discount(answer)
    return review_payment(answer, texts, ask_reviewer)


# The tool schema of a shop: what scripts can call, and what the model's first message shows.
#
# A shop has tools in `/bin`, such as `/bin/checkout`, and functions of its own, such as
# `stock_at`. The first message, called the initial prompt, shows the results of calls that nearly
# every script would make: who asks, the time, the rules document and the help of each tool.

_RULES_DOCUMENT: Final = "/AGENTS.MD"
SECURITY_DOCUMENT: Final = "/docs/security.md"
_NO_LIMIT: Final = 0
"""The limit of a listing that has all names."""
_TREE_LEVELS: Final = 8
"""The levels of folders in the initial prompt's tree. No shop has more."""
_OWNER_FIELDS: Final = (
    "customer_id",
    "customer",
    "owner_id",
    "owner",
    "buyer_id",
    "buyer",
    "client_id",
    "client",
    "shopper_id",
    "account_id",
)
"""The usual names of the field that holds the customer of a basket, payment or return."""


def record_owners(fields: tuple[str, ...]) -> RecordOwners:
    """Return how the owner of a record is found, and who may see only their own records.

    `fields` are the possible names of the field with the owner. `/bin/id` prints who asks, and
    in which roles: those of customers and guests permit only their own records.
    """
    return RecordOwners(fields, "/bin/id", own_only=("customer", "guest", "anonymous"))


def shop_tool_schema(
    named_files: NamedFiles, *, listing: int, ranked_chars: int, help_chars: int
) -> ToolSchema:
    """Return the tool schema of a shop.

    The initial prompt lists folders of up to `listing` names in full. It shows `ranked_chars`
    characters of the files that fit the request best, and `help_chars` of each tool's help.
    `named_files` says which files may be named in a request, and are then shown.
    """
    return ToolSchema(
        # What scripts can call
        operations=(*FILE_OPERATIONS, *SHOP_TOOLS),
        executables=EXECUTABLES,
        # Who checks calls and answers: functions that scripts cannot call
        checks=SHOP_CHECKS,
        pre_call_check=_PRE_CALL_CHECK,
        trusted_roots=("/docs/",),  # Customers cannot write there.
        outcomes=PLATFORM_OUTCOMES,
        # What the initial prompt shows
        rules_document=_RULES_DOCUMENT,
        initial_calls=tuple(_initial_calls(listing, help_chars)),
        named_files=named_files,
        ranked_chars=ranked_chars,
        record_owners=record_owners(_OWNER_FIELDS),
        # A notice is valid from the day in its name: `2027-03-01-hours.md`.
        document_dates=DocumentDates(in_names=True),
    )


def _initial_calls(listing: int, help_chars: int) -> Iterator[InitialCall]:
    """Yield the calls whose results appear in the initial prompt, in order.

    `exec` runs a tool. The results of `/bin/id` and `/bin/date` say who asks, and the time.
    """
    tree: dict[str, Plain] = {"root": "/", "level": _TREE_LEVELS}
    yield InitialCall("tree", tree, longest_listing=listing)
    yield InitialCall("exec", {"path": "/bin/id"})
    yield InitialCall("exec", {"path": "/bin/date"})
    # A trivial query shows whether the query tool works. Its output is not shown (`most_chars=0`).
    query: dict[str, Plain] = {"path": "/bin/sql", "args": ["select 1"]}
    yield InitialCall("exec", query, most_chars=0)
    yield InitialCall("read", {"path": _RULES_DOCUMENT})
    yield InitialCall("read", {"path": SECURITY_DOCUMENT})
    find: dict[str, Plain] = {
        "name": "*.md",
        "root": "/docs",
        "kind": "files",
        "limit": _NO_LIMIT,
    }
    # Reads each path that `find` returns, those that fit the request best first.
    each_page = EachOf("find", arguments=find, field="paths")
    yield InitialCall("read", {}, each_page, is_ranked=True)
    for tool in EXECUTABLES:
        asks_for_help: dict[str, Plain] = {"path": tool.path, "args": ["--help"]}
        yield InitialCall("exec", asks_for_help, most_chars=help_chars)
