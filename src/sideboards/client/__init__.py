"""The client: whoever plays on a server from a program, see `docs/client.md`."""

from sideboards.client.client import Client, Person, Transfer, check_server, parse_link
from sideboards.client.fairness import Promise, Sitting, is_fair
from sideboards.client.refusal import ServerRefusal, Unreachable
from sideboards.client.seat import News, Seat, Watcher
from sideboards.client.views import hash_of, to_view

__all__ = [
    "Client",
    "News",
    "Person",
    "Promise",
    "Seat",
    "ServerRefusal",
    "Sitting",
    "Transfer",
    "Unreachable",
    "Watcher",
    "check_server",
    "hash_of",
    "is_fair",
    "parse_link",
    "to_view",
]
