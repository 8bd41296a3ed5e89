"""The eight gates: ordered, deterministic checks of a submission. `gates.judging` asks all of them."""

import sys

if sys.argv[:1] == ["-m"] and not sys.flags.safe_path and not __file__.startswith(f"{sys.path[0]}/gates/"):
    del sys.path[0]  # `python -m` searches the working folder first: being in it runs nothing of it
