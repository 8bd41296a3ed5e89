"""Which files the first message to the model should show for a task of the embedded shop, and which not.

A task needs the files that its right solution cites, the page that governs it, and the notices in
force that override one of these pages: for `basket-checkout.1`, say

    {"/proc/carts/basket-0412.json", "/docs/checkout.md", "/docs/notices/2026-03-01-checkout.md"}

Records of another customer than the one who asks should not be shown.
"""

import re
from typing import Final

from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.workspace import Workspace
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of

FAMILIES_BY_PAGE: Final = {
    "archive": ("archive-fraud",),
    "catalogue": ("price-count", "product-existence", "sku-lookup"),
    "checkout": ("basket-addition", "basket-checkout", "unnamed-basket"),
    "crosslist": ("crosslist",),
    "discounts": ("discount-authority", "discount-grant", "discount-limit"),
    "dispatch": ("dispatch-wave",),
    "origins": ("origin-fact",),
    "returns": ("refund-approval", "refund-closure"),
    "staff": ("own-staff-record", "staff-count"),
    "stock": ("inventory-export", "stock-answer", "stock-count"),
    "uploads": ("receipt-rebuy", "receipt-reprice"),
    "verification": ("verification-restart",),
}
"""For each page of the shop's rules, the families of tasks that it decides.

A *family* is a kind of task: `basket-checkout.1` is the first task of `basket-checkout`.
"""

NOTICE_DATE: Final = re.compile(r"/(\d{4}-\d\d-\d\d)-[^/]*\.md$")
"""Finds the date of a notice in its path, such as `/docs/notices/2026-03-01-returns.md`."""


def needed_files(task: Task, family: str) -> set[str]:
    """Return the paths of the files that a task of a family needs."""
    workspace = workspace_of(task.world)
    pages = set(task.truth.must_cite_pages)
    for page, families in FAMILIES_BY_PAGE.items():
        if family in families:
            pages.add(task.world.names.pages[page])
    cited = {file_of(citation) for citation in task.truth.must_cite}

    existing = {path for path in cited | pages if path in workspace.files}
    return existing | notices_on(pages, workspace)


def notices_on(pages: set[str], workspace: Workspace) -> set[str]:
    """Return the notices in force that name one of these pages."""
    today = workspace.clock.date().isoformat()
    notices = set()
    for path, text in workspace.files.items():
        notice_date = NOTICE_DATE.search(path)
        is_in_force = notice_date is not None and notice_date[1] <= today
        if is_in_force and any(page in text for page in pages):
            notices.add(path)
    return notices


def file_of(citation: str) -> str:
    """Return the path of a citation, which may have a fragment: `/a.csv` for `/a.csv#row=1`."""
    return citation.partition("#")[0]
