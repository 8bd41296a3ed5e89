"""The task to do something that only another system could do.

"Please send the courier a message", or "write an invoice". Nothing in the shop reaches such a
system, so the right answer refuses. In some worlds, a page names a file for such requests:
then the request is written there, word for word.
"""

from __future__ import annotations

from controlplane.benchmarks.ecom.tasks.truth import Truth
from controlplane.benchmarks.ecom.world.branch_stock import nickname, some_store
from controlplane.benchmarks.ecom.world.sign_in import sign_in_anyone
from controlplane.benchmarks.ecom.world.world import World
from controlplane.gates.submission import OK, UNSUPPORTED


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

    # A page says that such requests are to be written to this file.
    path = f"/exports/late-shift-{world.rng.getrandbits(24):06x}.txt"
    world.directories.append("/exports")
    world.outbox = path
    return Truth(
        instruction=instruction,
        outcome=OK,
        message=path,
        required_words=(path,),
        may_cite=(*mentioned, path),
        changes={path: instruction},
    )
