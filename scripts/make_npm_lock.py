"""Completes web/package-lock.json: the native parts for machines of other kinds.

npm writes down only what the registry at hand offers, and then refuses to install by the file
anywhere, because parts for other systems are missing in it. They are added here with the exact
version that their parent asks for, and for which systems they are; what such a system fetches is
then pinned by version alone.

Example: python -m scripts.make_npm_lock, after npm install has changed the file
"""

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "web" / "package-lock.json"
FOLDER = "node_modules/"
SYSTEMS = (
    "android",
    "darwin",
    "freebsd",
    "linux",
    "openharmony",
    "win32",
    "aix",
    "netbsd",
    "sunos",
)
PROCESSORS = ("arm64", "x64", "arm", "ppc64", "s390x", "wasm32", "ia32", "riscv64", "loong64")
LIBRARIES = {"gnu": "glibc", "musl": "musl"}


def completed(lock: dict[str, Any]) -> dict[str, Any]:
    """The lock file with an entry for every optional package that has none."""
    packages: dict[str, dict[str, Any]] = lock["packages"]
    more = {
        f"{FOLDER}{name}": _entry(name, version, parent)
        for parent in packages.values()
        for name, version in parent.get("optionalDependencies", {}).items()
        if not any(path.endswith(f"{FOLDER}{name}") for path in packages)
    }
    root = {"": packages[""]}
    others = {path: entry for path, entry in (packages | more).items() if path}
    return lock | {"packages": root | dict(sorted(others.items()))}


def _entry(name: str, version: str, parent: dict[str, Any]) -> dict[str, Any]:
    words = name.rpartition("/")[2].split("-")
    entry: dict[str, Any] = {"version": version}
    entry["cpu"] = [word for word in words if word in PROCESSORS]
    if parent.get("dev"):
        entry["dev"] = True
    if libraries := [LIBRARIES[word] for word in words if word in LIBRARIES]:
        entry["libc"] = libraries
    entry["optional"] = True
    if systems := [word for word in words if word in SYSTEMS]:
        entry["os"] = systems
    return entry


def main() -> None:
    """Write the file anew."""
    lock = completed(json.loads(FILE.read_text()))
    FILE.write_text(json.dumps(lock, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
