"""Who we are on which server, kept between two runs in a file that only we can read."""

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from sideboards.client.client import Client
from sideboards.client.fairness import Sitting
from sideboards.core.refusal import Refusal


class Account(msgspec.Struct):
    """A guest of one server."""

    token: str
    sittings: dict[str, Sitting] = {}


def default_file(environment: Mapping[str, str]) -> Path:
    """Where guests are kept unless somebody says otherwise."""
    folder = environment.get("XDG_CONFIG_HOME") or Path(environment.get("HOME", "~")) / ".config"
    return Path(folder).expanduser() / "sideboards" / "guests.json"


class Saved:
    """The guests in one file, by server."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def restore(self, client: Client) -> bool:
        """Make a client the guest that was saved for its server; whether there was one."""
        account = self._read().get(client.url)
        if account is None:
            return False
        client.token = account.token
        client.sittings = dict(account.sittings)
        return True

    def save(self, client: Client) -> None:
        """Keep the guest and the seats of a client."""
        if client.token is not None:
            self._keep(client.url, Account(client.token, client.sittings))

    def _read(self) -> dict[str, Account]:
        try:
            return msgspec.json.decode(self._file.read_bytes(), type=dict[str, Account])
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise Refusal(f"{self._file}: {error.strerror}; expected a file to read") from None
        except msgspec.DecodeError as error:
            raise Refusal(f"{self._file}: {error}; expected saved guests, or no file") from None

    def _keep(self, url: str, account: Account) -> None:
        accounts = self._read() | {url: account}
        unfinished = self._file.with_name(f".{self._file.name}.{os.getpid()}")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            try:
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
                with os.fdopen(os.open(unfinished, flags, 0o600), "wb") as out:
                    out.write(msgspec.json.encode(accounts))
                unfinished.replace(self._file)
            finally:
                unfinished.unlink(missing_ok=True)
        except OSError as error:
            raise Refusal(f"{self._file}: {error.strerror}; expected a place to write") from None
