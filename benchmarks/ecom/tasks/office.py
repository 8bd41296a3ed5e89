"""Short tasks that need one tool or one look: a date, a text in a file, the open branches.

One of them cannot be done here at all: to send a message to a courier, or to write an
invoice in another system.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Final

from controlplane.benchmarks.ecom.tasks.truth import Truth, truth_with_exact_message
from controlplane.benchmarks.ecom.world.branch_stock import nickname, some_store
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


def calendar_date(world: World, _case: str) -> Truth:
    """Ask for the date some days from now.

    Right: compute it by the world's clock, and give it in the requested format.
    """
    sign_in_anyone(world)
    words, days = world.rng.choice(list(DAYS_BY_WORDS.items()))
    format_name, strftime_format = world.rng.choice(list(DATE_FORMATS.items()))
    verb = "was it" if days < 0 else "is it"
    day = world.clock.date() + timedelta(days)
    return truth_with_exact_message(
        world.wording("calendar-date", verb=verb, words=words, shape=format_name),
        day.strftime(strftime_format),
        for_tests={"days": str(days), "pattern": strftime_format},
    )


def external_system(world: World, case: str) -> Truth:
    """Ask for something that only another system could do, such as a message to a courier.

    Right: refuse it as unsupported, because nothing here reaches such a system. If a
    page names a file for such requests, write the request there word for word and
    answer with the path.

    Wrong: invent a confirmation, or write a file that no page names.

    Cases: `no such system`, `a page names a file`.
    """
    sign_in_anyone(world)
    product = world.catalogue.some_products(world.rng, 1)[0]
    store = some_store(world)
    branch = nickname(world, store)
    instruction = world.wording("external-system", product=product.name, branch=branch)
    mentioned = world.paths(product, store)
    if case == "no such system":
        return Truth(
            instruction=instruction,
            outcome=UNSUPPORTED,
            message="This workspace has no such system, so nothing was sent or opened.",
            may_cite=mentioned,
        )

    # The pages are generated later, from the policy `world.notices.stated`. With an outbox in
    # it, a page says that such requests are to be written to this file.
    path = f"/exports/late-shift-{world.rng.getrandbits(24):06x}.txt"
    world.directories.append("/exports")
    stated_policy = replace(world.notices.stated, outbox=path)
    world.notices = replace(world.notices, stated=stated_policy)
    return Truth(
        instruction=instruction,
        outcome=OK,
        message=path,
        required_words=(path,),
        may_cite=(*mentioned, path),
        changes={path: instruction},
    )


def file_marker(world: World, _case: str) -> Truth:
    """Ask for the marker in a temporary file: the text after `marker:`.

    Right: give the marker in this file.

    Wrong: give that of an older file with a similar name.
    """
    rng = world.rng
    sign_in_anyone(world)
    path = f"/tmp/cat-check-{rng.getrandbits(32):08x}.txt"
    marker = f"cat-marker-{rng.getrandbits(48):012x}"
    older_marker = f"cat-marker-{rng.getrandbits(48):012x}"
    older_path = path.replace("check", "check-old")
    world.files[path] = f"runtime tool check\nmarker: {marker}\n"
    world.files[older_path] = f"runtime tool check\nmarker: {older_marker}\n"
    return truth_with_exact_message(
        world.wording("file-marker", tool="/bin/cat", path=path),
        marker,
        must_cite=(path,),
        for_tests={"path": path},
    )


def open_branches(world: World, _case: str) -> Truth:
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
    return truth_with_exact_message(
        world.wording("open-branches", branch=branch),
        "\n".join(open_names),
        must_cite=world.paths(*stores),
        for_tests={"city": city, "first": world.path(stores[0])},
    )
