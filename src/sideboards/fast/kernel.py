"""Kernels: functions on arrays that numba compiles, kept on disk between runs.

numba is the extra ``fast``. Import this module only where kernels are needed: it imports numba.
"""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., object])


def _folder() -> Path:
    """Where compiled kernels are kept: a folder for exactly this text of all kernels, here.

    numba itself looks at one file only, so it would keep a kernel that calls a changed one. And
    it does not find what was compiled for the same text in another place.
    """
    here = Path(__file__).resolve().parent
    texts = hashlib.sha256(f"{numba.__version__} {here}".encode())
    for file in sorted(here.glob("*.py")):
        texts.update(file.read_bytes())
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "sideboards" / f"kernels-{texts.hexdigest()[:16]}"


FOLDER = _folder()


def kernel(function: Function) -> Function:
    """The function, compiled when first called with its types, or taken from the disk."""
    settings: Any = numba.config
    before, settings.CACHE_DIR = settings.CACHE_DIR, str(FOLDER)
    try:
        compiled: Any = numba.njit(cache=True, nogil=True)(function)
    finally:
        settings.CACHE_DIR = before
    return cast("Function", compiled)
