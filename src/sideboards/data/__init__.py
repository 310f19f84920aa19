"""What the package ships as files: the default edition and the words of the five languages."""

from functools import cache
from pathlib import Path

from sideboards.core.edition import Edition, parse_edition
from sideboards.core.refusal import Refusal


@cache
def shipped(name: str) -> bytes:
    """The bytes of a file in this folder, such as ``lang/de.json``."""
    return (Path(__file__).parent / name).read_bytes()


@cache
def _default_edition() -> Edition:
    return parse_edition(shipped("edition.json"))


def load_edition(path: Path | str | None = None) -> Edition:
    """The edition in the file `path`; without one, the edition that the package ships."""
    if path is None:
        return _default_edition()
    data = read_file(path)
    try:
        return parse_edition(data)
    except Refusal as refusal:
        raise Refusal(f"{path}: {refusal}") from None


def read_file(path: Path | str) -> bytes:
    """The bytes of a file that somebody named; a file that cannot be read is refused."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise Refusal(f"{path}: {error.strerror or error}; expected a readable file") from None
