"""The programs outside Python that tests need; on Linux nothing is skipped for want of one."""

import os
import shutil
import sys

import pytest

PACKAGES = {
    "caddy": "caddy",
    "curl": "curl",
    "mount": "mount",
    "nginx": "nginx-light",
    "npm": "npm",
    "openssl": "openssl",
    "strace": "strace",
    "systemd-analyze": "systemd",
    "unshare": "util-linux",
}
"""The Debian package of each; `scripts/system` installs them, Node.js comes with `scripts/web`."""
MORE = ("/usr/sbin", "/sbin")
"""Where some of them are, though not everybody looks there."""


def found(tool: str) -> str | None:
    """The path of a program; None where it is missing."""
    return shutil.which(tool, path=os.pathsep.join([os.environ["PATH"], *MORE]))


def missing(tool: str) -> str:
    """The sentence for a machine without a program."""
    return f"{tool} is not installed; expected Debian's package {PACKAGES[tool]}"


def needed(tool: str) -> str:
    """The path of a program; without it a test fails on Linux, and is skipped elsewhere."""
    if path := found(tool):
        return path
    if sys.platform == "linux":
        pytest.fail(missing(tool), pytrace=False)
    pytest.skip(f"not available: {tool}")
