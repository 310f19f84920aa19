"""Runs a command that gets no rings, as containers often have it: `python ringless.py COMMAND`.

The system refuses it, and to all that it starts, the call that makes a ring; nothing else.
"""

import ctypes
import errno
import os
import sys
from struct import pack

PROGRAM = (sys.executable, "-P", __file__)
MAKE_A_RING = 425
"""The number of io_uring_setup, on every kind of machine."""
NO_NEW_PRIVILEGES, FILTER_CALLS, BY_A_PROGRAM = 38, 22, 2
LOAD, IS_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000


class Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def forbid_rings() -> None:
    """Let the system refuse them to this process from now on."""
    steps = b"".join(
        pack("HBBI", *step)
        for step in (
            (LOAD, 0, 0, 0),  # the number of the call
            (IS_EQUAL, 0, 1, MAKE_A_RING),
            (RETURN, 0, 0, REFUSE | errno.EPERM),
            (RETURN, 0, 0, ALLOW),
        )
    )
    libc, program = ctypes.CDLL(None, use_errno=True), Filter(4, steps)
    if libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) or libc.prctl(
        FILTER_CALLS, BY_A_PROGRAM, ctypes.byref(program)
    ):
        raise OSError(ctypes.get_errno(), "calls cannot be refused here")


if __name__ == "__main__":
    forbid_rings()
    os.execvp(sys.argv[1], sys.argv[1:])  # noqa: S606 (it is the command itself)
