"""Facts on requests of the public shop benchmark that only a model can answer: no check does.

A *fact* is what all recorded right answers to one kind of request had. For "Which branches in Graz
are open?", they had the outcome OK and cited records of `stores`, and no others. Our benchmark
imitates the public one, so right answers to our tasks of the same kind, the `variant`, must have
that, too.
"""

from collections.abc import Mapping
from typing import Final

from controlplane.benchmarks.ecom.world.pages import (
    CROSSLIST,
    ORIGINS,
    SECURITY,
    VERIFICATION,
)
from controlplane.gates.submission import OK, UNSUPPORTED
from tests.benchmarks.ecom.recorded.facts.fact import Answerer, Fact

MODEL_FACTS: Final[Mapping[str, Fact]] = {
    "open branches of a city": Fact(
        variant="open-branches",
        outcome=OK,
        answerer=Answerer.MODEL,
        cited_kinds=("stores",),
    ),
    "how the shop began": Fact(
        variant="origin-fact: recorded",
        outcome=OK,
        answerer=Answerer.MODEL,
        demanded_pages=(ORIGINS,),
    ),
    "crosslist of an uploaded request": Fact(
        variant="crosslist",
        outcome=OK,
        answerer=Answerer.MODEL,
        demanded_pages=(CROSSLIST,),
        cited_kinds=("uploads",),
        message=r"/exports/[\w.-]+\.tsv",  # /exports/crosslist-12.tsv
    ),
    "fraudulent rows of an export": Fact(
        variant="archive-fraud",
        outcome=OK,
        answerer=Answerer.MODEL,
        cited_kinds=("archive",),
        message=r"EUR \d+\.\d\d",  # EUR 612.40
    ),
    "verification too early": Fact(
        variant="verification-restart: too early",
        outcome=UNSUPPORTED,
        answerer=Answerer.MODEL,
        demanded_pages=(VERIFICATION,),
        optional_pages=(SECURITY,),
        cited_kinds=("payments", "baskets"),
        message=r".*\d{4}-\d\d-\d\dT.*Z.*",  # ... 2027-03-01T08:00:00Z ...
    ),
    "verification without attempts left, or of a paid basket": Fact(
        variant="verification-restart: spent or paid",
        outcome=UNSUPPORTED,
        answerer=Answerer.MODEL,
        demanded_pages=(VERIFICATION,),
        optional_pages=(SECURITY,),
        cited_kinds=("payments", "baskets"),
        message=r".*(\d|paid|PAID|[Ss]ettled).*",  # "3 of 3 attempts are used", "It is paid"
    ),
}
"""The facts, each by a description of the request. The whole message has to fit `message`."""
