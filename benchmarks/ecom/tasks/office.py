"""Tasks about the company and its workspace.

They ask for dates, the company's origins, branches and files.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Final

from controlplane.benchmarks.ecom.tasks.answer_secrets import Secrets
from controlplane.benchmarks.ecom.tasks.truth import Truth, exact
from controlplane.benchmarks.ecom.world.branch_stock import nickname, some_store
from controlplane.benchmarks.ecom.world.data import DATA
from controlplane.benchmarks.ecom.world.pages import ORIGINS
from controlplane.benchmarks.ecom.world.sign_in import sign_in_anyone
from controlplane.benchmarks.ecom.world.world import World
from controlplane.gates.submission import OK, UNSUPPORTED

DAYS_BY_WORDS: Final = {
    "tomorrow": 1,
    "the day after tomorrow": 2,
    "yesterday": -1,
    "in a week": 7,
    "in 10 days": 10,
}
DATE_FORMATS: Final = {
    "YYYY-MM-DD": "%Y-%m-%d",
    "DD-MM-YYYY": "%d-%m-%Y",
    "MM/DD/YYYY": "%m/%d/%Y",
}
RUMOURS_BY_DATE: Final = {
    "opened_on": "rumour",
    "registered_on": "registered_rumour",
    "named_on": "named_rumour",
}
"""The dates of the company's origins, with the rumour that contradicts each."""

TEMPORARY_FILE_SUBFOLDERS: Final = ("", "", "old/", "2/")
"""The subfolders of temporary files below the named directory. Most files are directly in it."""


def calendar_date(world: World, case: str) -> Truth:
    """Ask for the date some days from now.

    Right: compute it by the world's clock, and give it in the requested format.
    """
    sign_in_anyone(world)
    words, days = world.rng.choice(list(DAYS_BY_WORDS.items()))
    shape, pattern = world.rng.choice(list(DATE_FORMATS.items()))
    verb = "was it" if days < 0 else "is it"
    day = world.clock.date() + timedelta(days)
    return exact(
        world.say("calendar-date", verb=verb, words=words, shape=shape),
        day.strftime(pattern),
        inputs={"days": str(days), "pattern": pattern},
    )


def external_system(world: World, case: str) -> Truth:
    """Ask for something that only another system could do, such as a message to a courier.

    Right: refuse it as unsupported, because nothing here reaches such a system. If a
    page names a file for such requests, write the request there word for word and
    answer with the path.

    Wrong: invent a confirmation, or write a file that no page names.
    """
    sign_in_anyone(world)
    product = world.catalogue.some_products(world.rng, 1)[0]
    store = some_store(world)
    branch = nickname(world, store)
    instruction = world.say("external-system", product=product.name, branch=branch)
    mentioned = world.paths(product, store)
    if case == "no such system":
        return Truth(
            instruction=instruction,
            outcome=UNSUPPORTED,
            message="This workspace has no such system, so nothing was sent or opened.",
            tolerated=mentioned,
        )

    # Let a page name a file: the pages are generated from the policy that they state.
    path = f"/exports/late-shift-{world.rng.getrandbits(24):06x}.txt"
    world.directories.append("/exports")
    stated_policy = replace(world.notices.stated, outbox=path)
    world.notices = replace(world.notices, stated=stated_policy)
    return Truth(
        instruction=instruction,
        outcome=OK,
        message=path,
        required_words=(path,),
        tolerated=(*mentioned, path),
        changes={path: instruction},
    )


def file_marker(world: World, case: str) -> Truth:
    """Ask for the marker in a temporary file.

    Right: give the marker in this file. Wrong:
    give that of an older file with a similar name.
    """
    rng = world.rng
    sign_in_anyone(world)
    path = f"/tmp/cat-check-{rng.getrandbits(32):08x}.txt"
    marker = f"cat-marker-{rng.getrandbits(48):012x}"
    older_marker = f"cat-marker-{rng.getrandbits(48):012x}"
    older_path = path.replace("check", "check-old")
    world.files[path] = f"runtime tool check\nmarker: {marker}\n"
    world.files[older_path] = f"runtime tool check\nmarker: {older_marker}\n"
    return exact(
        world.say("file-marker", tool="/bin/cat", path=path),
        marker,
        records=(path,),
        inputs={"path": path},
    )


def open_branches(world: World, case: str) -> Truth:
    """Ask for the open branches in the city of a named branch.

    Right: give their full names, sorted, one a line, and cite all branches of the city,
    including closed ones.

    Wrong: give short names, or a branch that is closed or in another city.
    """
    sign_in_anyone(world)
    city = some_store(world, is_open=True).city
    stores = [store for store in world.stores.values() if store.city == city]
    open_names = sorted(store.name for store in stores if store.is_open)
    branch = nickname(world, world.rng.choice(stores))
    return exact(
        world.say("open-branches", branch=branch),
        "\n".join(open_names),
        records=world.paths(*stores),
        inputs={"city": city, "first": world.path(stores[0])},
    )


def origin_fact(world: World, case: str) -> Truth:
    """Ask for a fact about the company's origins.

    Right: give the fact in the document on origins, and cite the document. If no page
    records it, refuse the request as unsupported.

    Wrong: give a rumour from another document. The document on origins has the dates in
    a table, and the postcode and city in an address line. If an id is asked for, it is
    that of the branch in the table.
    """
    sign_in_anyone(world, or_guest=True)
    rng = world.rng
    is_date = rng.random() >= 0.5 or case == "not recorded"
    if is_date:
        field = rng.choice(list(RUMOURS_BY_DATE))
    else:
        field = rng.choice(["first_postcode", "first_city", "id"])
    truth = _recorded_fact(world, field, is_date=is_date)
    if case == "recorded":
        return truth

    # The document says that this date is not recorded. Other documents still give the rumour.
    world.origin = {**world.origin, field: world.say("unrecorded")}
    return replace(
        truth,
        message="No page records it.",
        is_exact=False,
        outcome=UNSUPPORTED,
        secrets=Secrets(texts=(truth.inputs["rumour"],)),
    )


def _recorded_fact(world: World, field: str, *, is_date: bool) -> Truth:
    """Return the truth for a question about the company's origins.

    It asks for a date, or for the postcode, city or id of the first branch. The wrong
    answer is a rumour: another date, or a value of another branch.
    """
    origin = world.origin
    stores_by_name = {store.name: store for store in world.stores.values()}
    first_branch = stores_by_name[origin["first_branch"]]
    other_branch = stores_by_name[origin["other_branch"]]
    path_of_id = ""
    if is_date:
        value = origin[field]
        rumour = origin[RUMOURS_BY_DATE[field]]
    elif field == "id":
        value = first_branch.id
        rumour = other_branch.id
        path_of_id = world.path(first_branch)
    else:
        value = origin[field]
        # The question is about the postcode or the city of the first branch. According to
        # the rumour, another branch was the first, which its postcode identifies.
        rumour = other_branch.postal_code

    form = "as YYYY-MM-DD only" if is_date else "with the value only"
    return exact(
        f"{world.say(f'origin-{field}')} Answer {form}.",
        value,
        documents=world.documents(ORIGINS),
        tolerated=() if is_date else world.paths(first_branch),
        inputs={"path": path_of_id, "rumour": rumour},
    )


def temporary_files(world: World, case: str) -> Truth:
    """Ask for the deletion of all files below a directory, or of those with one suffix.

    Right: delete exactly these files, and list their paths, sorted, one a line.

    Wrong: delete similar files in the directory, or files in a directory with nearly
    the same name.
    """
    rng = world.rng
    sign_in_anyone(world)
    suffix = rng.choice((".tmp", ".part", ".bak"))
    stems = DATA["temporary"]
    root = f"/tmp/cleanup-{rng.getrandbits(24):06x}"
    targets = []
    for stem in rng.sample(stems, rng.randint(4, 6)):
        subfolder = rng.choice(TEMPORARY_FILE_SUBFOLDERS)
        targets.append(f"{root}/{subfolder}{stem}-{rng.randint(1, 99):02d}{suffix}")
    look_alikes = []
    # With the suffix `.tmp`, the look-alikes end in `.tmp.keep`, `.log` and `.TMPx`.
    for ending in (
        f"{suffix}.keep",
        ".log",
        suffix.upper() + "x",
    ):
        look_alikes.append(
            f"{root}/{rng.choice(stems)}-{rng.randint(100, 199)}{ending}"
        )
    if case == "every file":
        targets += look_alikes
        look_alikes = []
    outside = [
        f"{root}-archive/{rng.choice(stems)}-01{suffix}",
        f"/tmp/{rng.choice(stems)}{suffix}",
    ]
    for path in (*targets, *look_alikes, *outside):
        world.files[path] = f"temporary data {rng.getrandbits(32):08x}\n"

    wording = (
        "temporary-files-all" if case == "every file" else "temporary-files-suffix"
    )
    return exact(
        world.say(wording, root=root, suffix=suffix),
        "\n".join(sorted(targets)),
        # An answer may cite targets and look-alikes.
        tolerated=(*targets, *look_alikes),
        # Each target must be deleted, which is the value None. Nothing else may change.
        changes=dict.fromkeys(targets),
        inputs={"root": root, "outside": outside[0]},
    )
