"""Which addresses stay on this machine, and by which of its addresses others reach it."""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import urlsplit


def host_of(address: str) -> str:
    """Return the host of `tcp://HOST:PORT`, `tls://HOST:PORT` or `HOST:PORT`."""
    return urlsplit(address if "://" in address else f"tcp://{address}").hostname or ""


def is_loopback(address: str) -> bool:
    """Say whether an address is one of this machine's loopback; a name is one if all it resolves to is."""
    host = host_of(address)
    try:
        found = [str(each[4][0]) for each in socket.getaddrinfo(host, None)]
    except OSError:
        return False
    return bool(found) and all(ipaddress.ip_address(each.partition("%")[0]).is_loopback for each in found)


def own_address_towards(address: str) -> str:
    """Return the address of this machine by which the host of `address` reaches it. Sends nothing."""
    host = host_of(address)
    if is_loopback(address):
        return "127.0.0.1"
    try:
        family = socket.getaddrinfo(host, 9, type=socket.SOCK_DGRAM)[0]
        with socket.socket(family[0], socket.SOCK_DGRAM) as probe:
            probe.connect(family[4])
            return str(probe.getsockname()[0])
    except OSError:
        return socket.gethostname()
