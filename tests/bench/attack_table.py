"""Prints how far hostile scripts get in a sandbox, with and without its language layer.

`sandbox_speed.py --table` calls `print_table`, which prints a row for each isolation:

    isolation                     hold an object   do harm    system calls  ordinary run
    process,kernel                   778 of 1175         0         0 of 97    588 of 588

Of 1175 attacks on the language, 778 got an object that scripts must not have, and none did harm with
it. None of 97 forbidden system calls was made. All 588 ordinary scripts ran.
"""

import os
import socket
import sys

from controlplane.sandbox import ForkServer, missing_layer, parse_isolation
from tests.bench.sandbox.attack_tallies import (
    NewSandboxes,
    language_tallies,
    ordinary_tally,
    system_call_tally,
)


def print_table() -> None:
    """Print how far attacks get without the language layer, and behind all three layers.

    The process layer and the kernel layer are the boundary that hostile scripts must not pass.
    """
    # A child process must not have the environment of its parent: an attack looks for this.
    os.environ["SANDBOX_SECRET"] = "SECRET"
    print(
        f"{'isolation':<28}{'hold an object':>16}{'do harm':>10}{'system calls':>16}{'ordinary run':>14}"
    )
    for isolation in ("process,kernel", "language,process,kernel"):
        with ForkServer() as server, socket.create_server(("127.0.0.1", 0)) as listener:
            missing = missing_layer(server, parse_isolation(isolation))
            if missing:
                sys.exit(f"these scripts are hostile, and {missing}")
            port = listener.getsockname()[1]
            # The first line of each attack: what it tries to reach. There is no socket for it.
            targets = f'CANARY, PORT, SOCKET = "/etc/hostname", {port}, 0\n'
            sandboxes = NewSandboxes(server, isolation)
            language = language_tallies(sandboxes, targets)
            system_calls = system_call_tally(sandboxes, targets)
            ordinary = ordinary_tally(sandboxes)
        print(
            f"{isolation:<28}{language.reached_objects!s:>16}{language.did_harm.hits:>10}"
            f"{system_calls!s:>16}{ordinary!s:>14}"
        )
