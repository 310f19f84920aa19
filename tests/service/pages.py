"""What the system keeps of a file that is not yet on the disk, on Linux."""

import ctypes
import os

import pytest

CACHESTAT = 451
"""The number of the system call that tells which pages of a file wait for the disk."""


class Range(ctypes.Structure):
    _fields_ = (("begin", ctypes.c_uint64), ("length", ctypes.c_uint64))


class Cached(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_uint64) for name in ("cache", "dirty", "writeback", "evicted", "recently")
    )


def unwritten(file: int) -> int:
    """How many pages of a file are not yet on the disk."""
    libc, found = ctypes.CDLL(None, use_errno=True), Cached()
    whole = Range(0, 0)
    if libc.syscall(CACHESTAT, file, ctypes.byref(whole), ctypes.byref(found), 0):
        pytest.skip(f"this kernel does not tell it ({os.strerror(ctypes.get_errno())})")
    return int(found.dirty) + int(found.writeback)
