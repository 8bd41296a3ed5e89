"""The first lines of a script that makes system calls by their numbers.

It does what machine code could do in a process that an attacker has taken over: it calls the kernel
by the numbers of the calls, past all of Python's own functions: `call(2, b"/", 0)` is `open("/")`.
"""

KERNEL_ACCESS = """
import ctypes, os, sys

# The function that started the script, some frames up, has a variable `kernel` with a function
# that makes system calls: `call(2, b"/", 0)` is open("/"), because open has the number 2.
frame = sys._getframe()
while "kernel" not in frame.f_locals:
    frame = frame.f_back
call = frame.f_locals["kernel"]._calls.by_number

# Memory that the kernel reads arguments from, or writes results to.
buffer = (ctypes.c_char * 200)()
pair = (ctypes.c_int * 2)()  # two descriptors
limit = (ctypes.c_ulong * 2)(64, 64)  # soft and hard limit: 64 descriptors

# Constants of the kernel.
LIMIT_OF_DESCRIPTORS = 7  # RLIMIT_NOFILE
OWN_PROCESS = 0
WORKING_FOLDER = -100  # AT_FDCWD
UNIX, INTERNET = 1, 2  # AF_UNIX, AF_INET
STREAM = 1  # SOCK_STREAM
CREATE_AND_WRITE = 0o102  # O_CREAT | O_RDWR
OWN_SOCKET = 0  # the one descriptor that the child has
MONOTONIC_CLOCK = 1
NONE = -1

# Try to raise the limit of descriptors.
call(160, LIMIT_OF_DESCRIPTORS, limit)  # setrlimit
call(302, OWN_PROCESS, LIMIT_OF_DESCRIPTORS, limit, 0)  # prlimit
"""
