"""The functions of a shop that scripts and solvers call, by their names for good.

Declarations and journals name each as `controlplane.benchmarks.shop.functions:stock_at`, wherever
it is written. A function that moves is imported here from its new module.
"""

from controlplane.benchmarks.shop.answers import order_references
from controlplane.benchmarks.shop.pre_call_check import pre_call_check
from controlplane.benchmarks.shop.preflight import (
    ask_which_basket,
    clean_up,
    permitted_changes,
    plan_wave,
    refuse_request,
    tell_city_stock,
)
from controlplane.benchmarks.shop.product_functions import match_products
from controlplane.benchmarks.shop.record_functions import (
    find_records,
    linked_records,
    may_use,
    pick_basket,
    read_all,
    relative_date,
    retry_moment,
    staff_with_role,
    who_asks,
    workspace_layout,
)
from controlplane.benchmarks.shop.stock_functions import (
    branches_in,
    check_basket,
    settle_receipt,
    stock_at,
)
from controlplane.benchmarks.shop.table_functions import dispatch_plan, fraud_rows
