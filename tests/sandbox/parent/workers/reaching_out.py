"""A function that tests call in a worker, to find out what its isolation keeps from it."""

import os
import socket
from array import array


def reach_out(kind):
    """Try to get something that the isolation keeps from workers, and return it.

    `reach_out("socket")` -> `5` (a descriptor) if the isolation does not work, or
    `"PermissionError"` if it does. The environment variables can be read, but must not have a
    secret among them.
    """
    try:
        match kind:
            case "file":
                return os.open("/", os.O_RDONLY)
            case "socket":
                return socket.socket().fileno()
            case "fork":
                return os.fork()  # the id of the new process
            case "array":
                # Only workers that read spreadsheets may make an array.
                return array("b", [1]).tolist()
            case "parent":
                no_signal = 0  # It only asks whether a signal could be sent.
                return str(os.kill(os.getppid(), no_signal))
            case "environment":
                return dict(os.environ)
    except OSError as error:  # such as a PermissionError
        return type(error).__name__
