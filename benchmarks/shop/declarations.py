"""Declares a shop's tools, functions for scripts, checks for solvers, and initial
prompt.

Scripts, which the model writes, call the functions. Solvers, which answer requests with
or without a model, call the checks.
"""

from __future__ import annotations

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

if TYPE_CHECKING:
    from controlplane.agent.exoskeleton import SolverBindings

_FIELDS: Final = (
    ResultField("value"),
    ResultField("refs", ("path", "reason")),
    ResultField("notes"),
)


def _declared(
    function: str, summary: str, **parameters: str | tuple[str, Any]
) -> Operation:
    """Declare a function of the shop, `MODULE:NAME`, as an operation called NAME.

    `summary` is what the model reads about the result. Each parameter is given by its
    type (`path="str"`), or by its type and default (`days=("int", 0)`).
    """
    declared_parameters = []
    for parameter_name, declared in parameters.items():
        if isinstance(declared, str):
            declared_parameters.append(Parameter(parameter_name, declared))
        else:
            type_name, default = declared
            declared_parameters.append(Parameter(parameter_name, type_name, default))
    _, _, name = function.partition(":")
    return Operation(
        name,
        tuple(declared_parameters),
        _FIELDS,
        summary,
        finds=f"controlplane.benchmarks.shop.{function}",
    )


def _preflight(name: str, summary: str) -> Operation:
    """Declare a check that runs before the model.

    Its parameter `intent` is what the request asks for, as a small model, the
    classifier, reads it. It is JSON.
    """
    return _declared(f"preflight:{name}", summary, request="str", intent="str")


SHOP_TOOLS: Final = (
    _declared("record_functions:read_all", "the text, where read cuts it", path="str"),
    _declared(
        "record_functions:who_asks", "{user, roles, is: customer, staff or guest}"
    ),
    _declared(
        "record_functions:workspace_layout",
        "{roots: {kind: folder}, policies: {subject: path}, open_state, yes, no}",
    ),
    _declared(
        "record_functions:staff_with_role", "3 people", role="str", branch=("str", "")
    ),
    _declared(
        "record_functions:may_use",
        "{kind, owner, state, see, change (None: by role), cite}",
        record="str",
    ),
    _declared(
        "product_functions:match_products",
        "[{sku, name, price_cents, properties}]; must: 'persons 2'",
        description="str",
        must=("list[str]", []),
        must_not=("list[str]", []),
        below_cents=("int", 0),
    ),
    _declared(
        "stock_functions:stock_at",
        "{sku: {on_hand, reserved, available, within}}",
        products="list[str]",
        branch="str",
        days=("int", 0),
    ),
    _declared(
        "stock_functions:branches_in", "[{id, name, is_open}] of a city", place="str"
    ),
    _declared(
        "stock_functions:check_basket",
        "{state, is_open, subtotal_cents, lines: [{sku, ..}], short: [sku]}",
        basket="str",
    )._replace(example='check_basket("basket-2")'),
    _declared(
        "record_functions:find_records",
        "[{path, id, owner, state}] by a field's value; products whole",
        kind="str",
        field=("str", ""),
        value=("str", ""),
    ),
    _declared(
        "record_functions:linked_records",
        "[{path, id, kind}] that it names or that name it",
        record="str",
    ),
    _declared(
        "record_functions:pick_basket",
        "['basket-2']: own open ones, newest or oldest",
        selector=("str", ""),
    ),
    _declared(
        "stock_functions:settle_receipt",
        "{lines: [{sku, quantity, ..}], subtotal_now_cents, within, can_be_bought}",
        path=("str", ""),
        tolerance_cents=("int", 0),
    ),
    _declared(
        "table_functions:fraud_rows",
        "{rows: [{id, cents, customer}], total, total_cents, rules}; no notices applied",
        path="str",
    ),
    _declared(
        "table_functions:dispatch_plan",
        "{answer, expected_cost_cents, expected_gain_cents}",
        path="str",
        late_cents=("int", 0),
        delays=("object", {}),
    ),
    _declared(
        "record_functions:retry_moment",
        "{state, attempts, max_attempts, retry_at, passed}: bank check",
        payment="str",
    ),
    _declared(
        "record_functions:relative_date", "'31-12-2027', in its form", request="str"
    ),
)
"""Functions that scripts call as `harness.tools.NAME`, in the order of the prompt."""
_ANSWERS: Final = ("refuse_request", "clean_up", "plan_wave", "ask_which_basket")
PREFLIGHT: Final = (*_ANSWERS, "tell_city_stock")
"""The checks before the model, in order. The first four may answer the request,
security first. The last one only adds information for the model."""
SHOP_CHECKS: Final = (
    _preflight("permitted_changes", "what a request may change"),
    _declared(
        "answers:order_references",
        "an answer with its references in order",
        request="str",
        answer="object",
        findings="str",  # JSON
        in_order="bool",
    ),
    _declared(
        "pre_call_check:pre_call_check",
        "judges a call before it is made",
        operation="str",
        arguments="object",
    ),
    *(_preflight(name, "may answer before the model") for name in _ANSWERS),
    _preflight("tell_city_stock", "tells the model something beforehand"),
)
"""Operations for the stages of solvers."""
PRE_CALL_CHECK: Final = "ecom/pre-call-check"
"""The name of the rule (`pre_call_check` in the rule set `ecom`) that switches on the
check of calls before they are sent."""
FUNCTION_MODULES: Final = tuple(
    dict.fromkeys(
        operation.finds.partition(":")[0] for operation in (*SHOP_TOOLS, *SHOP_CHECKS)
    )
)
"""The modules that contain these functions."""

RULES_DOCUMENT: Final = "/AGENTS.MD"
SECURITY_DOCUMENT: Final = "/docs/security.md"
_READS: Final = ExecutableKind.READS
_CHANGES: Final = ExecutableKind.CHANGES
# `FileArguments` say which arguments are paths of files that the tool reads: `first=1`
# skips the expression of `jq`, and `count=1` ends after one file. `options` take no
# argument of their own.
EXECUTABLES: Final = (
    Executable(
        "/bin/availability", _READS, "what a branch can sell", FileArguments(count=1)
    ),
    Executable("/bin/cat", _READS, "", FileArguments(options=("-n", "--number"))),
    Executable("/bin/checkout", _CHANGES),
    Executable("/bin/date", _READS),
    Executable("/bin/discount", _CHANGES),
    Executable("/bin/id", _READS),
    Executable(
        "/bin/jq", _READS, "", FileArguments(first=1, options=("-r", "--raw-output"))
    ),
    Executable("/bin/payments", _CHANGES, "restarts verification"),
    Executable("/bin/refund", _CHANGES),
    Executable("/bin/sql", _READS, "queries the records"),
)
"""The tools of `/bin`, the same in the embedded world and on the remote platform."""


_ALL: Final = 0
"""As the limit of a listing: list all names."""
_TREE_LEVELS: Final = 8
"""The levels of folders in the initial prompt's tree. No shop has more."""
OWNER_FIELDS: Final = (
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
"""The usual names of the field that holds the customer of a basket, payment or
return."""


def record_owners(fields: tuple[str, ...]) -> RecordOwners:
    """Return who may see a shop's records.

    Customers and guests see only records that belong to them. Staff see all records.
    """
    return RecordOwners(fields, "/bin/id", own_only=("customer", "guest", "anonymous"))


def shop_tool_schema(
    named_files: NamedFiles, *, listing: int, ranked_chars: int, help_chars: int
) -> ToolSchema:
    """Return the tool schema of a shop.

    The initial prompt lists folders of up to `listing` names in full. It shows
    `ranked_chars` characters of the files that fit the request best, and `help_chars`
    of each tool's help.
    """
    pages_to_find: dict[str, Plain] = {
        "name": "*.md",
        "root": "/docs",
        "kind": "files",
        "limit": _ALL,
    }
    each_page = EachOf("find", arguments=pages_to_find, field="paths")
    help_calls = []
    for tool in EXECUTABLES:
        arguments: dict[str, Plain] = {"path": tool.path, "args": ["--help"]}
        help_calls.append(InitialCall("exec", arguments, most_chars=help_chars))
    return ToolSchema(
        operations=(*FILE_OPERATIONS, *SHOP_TOOLS),
        checks=SHOP_CHECKS,
        pre_call_check=PRE_CALL_CHECK,
        trusted_roots=("/docs/",),
        executables=EXECUTABLES,
        rules_document=RULES_DOCUMENT,
        initial_calls=(
            InitialCall(
                "tree", {"root": "/", "level": _TREE_LEVELS}, longest_listing=listing
            ),
            InitialCall("exec", {"path": "/bin/id"}),
            InitialCall("exec", {"path": "/bin/date"}),
            # The prompt shows only if the query tool works, and none of its output.
            InitialCall(
                "exec", {"path": "/bin/sql", "args": ["select 1"]}, most_chars=0
            ),
            InitialCall("read", {"path": RULES_DOCUMENT}),
            InitialCall("read", {"path": SECURITY_DOCUMENT}),
            InitialCall("read", {}, each_page, is_ranked=True),
            *help_calls,
        ),
        named_files=named_files,
        ranked_chars=ranked_chars,
        record_owners=record_owners(OWNER_FIELDS),
        document_dates=DocumentDates(in_names=True),
    )


def shop_bindings() -> SolverBindings:
    """Return what a shop adds to solvers: the order of its checks, task types, revision
    and formatting.

    Most runs switch none of it on.
    """
    from controlplane.agent.exoskeleton import SolverBindings
    from controlplane.benchmarks.shop.answer_forms import formatted_message
    from controlplane.benchmarks.shop.payment_review import revised
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
        revise=revised,
        put_in_form=formatted_message,
    )
