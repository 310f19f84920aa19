"""Somebody who has only the protocol: a whole game with nothing but the standard library.

`python stranger.py ADDRESS FOLDER` plays at ADDRESS against bots, over REST and a WebSocket with a
cookie as browsers do, leaves `record.txt` and `proof.json` in FOLDER, and prints what it saw as
JSON. With SSL_CERT_FILE in the environment it believes that certificate.
"""

import base64
import hashlib
import json
import secrets
import socket
import ssl
import struct
import sys
import time
import urllib.request
from contextlib import suppress
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any
from urllib.parse import urlsplit

WAIT = 20
LONGEST = 60
PING = 2.5
"""Seconds."""


class Caller:
    """One browser's worth of REST: an origin and a cookie."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.cookie = ""
        self.attributes: list[str] = []

    def call(self, method: str, path: str, body: object = None) -> bytes:
        """The body of a good answer; a cookie is kept."""
        headers = {"Origin": self.base, "Content-Type": "application/json"}
        if self.cookie:
            headers["Cookie"] = self.cookie
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(  # noqa: S310 (the address of the test's own server)
            self.base + path, data, headers, method=method
        )
        with urllib.request.urlopen(request, timeout=WAIT) as answer:  # noqa: S310
            if found := answer.headers["Set-Cookie"]:
                self.cookie, *self.attributes = found.split("; ")
            content: bytes = answer.read()
            return content

    def json(self, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401
        """The JSON of a good answer."""
        return json.loads(self.call(method, path, body))


class Socket:
    """A WebSocket (RFC 6455) that sends and receives short texts."""

    def __init__(self, caller: Caller) -> None:
        place = urlsplit(caller.base)
        assert place.hostname
        port = place.port or (443 if place.scheme == "https" else 80)
        plain = socket.create_connection((place.hostname, port), WAIT)
        self._socket = plain
        if place.scheme == "https":
            context = ssl.create_default_context()
            self._socket = context.wrap_socket(plain, server_hostname=place.hostname)
        key = base64.b64encode(secrets.token_bytes(16)).decode()
        lines = (
            "GET /ws HTTP/1.1",
            f"Host: {place.netloc}",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {key}",
            f"Origin: {caller.base}",
            f"Cookie: {caller.cookie}",
        )
        self._socket.sendall("\r\n".join((*lines, "", "")).encode())
        self._stream = self._socket.makefile("rb")
        head = [self._stream.readline().decode().strip()]
        while head[-1]:
            head.append(self._stream.readline().decode().strip())
        assert head[0].startswith("HTTP/1.1 101"), head
        magic = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode())  # noqa: S324
        answer = base64.b64encode(magic.digest()).decode()
        assert any(line.lower().endswith(answer.lower()) for line in head), head
        self._lock = Lock()
        self._over = Event()
        Thread(target=self._live, daemon=True).start()

    def _live(self) -> None:
        """Tell the server now and then that somebody is here; bots may think for long."""
        with suppress(OSError):  # the server has gone, as whoever reads will tell
            while not self._over.wait(PING):
                self.send({"type": "ping"})

    def send(self, message: dict[str, Any]) -> None:
        """Send a message in one masked frame."""
        self._frame(1, json.dumps(message).encode())

    def receive(self) -> dict[str, Any]:
        """The next message."""
        while True:
            first, size = self._stream.read(2)
            if size == 126:
                (size,) = struct.unpack("!H", self._stream.read(2))
            content = self._stream.read(size)
            if first == 0x89:
                self._frame(10, content)
            elif first == 0x81:
                message: dict[str, Any] = json.loads(content)
                return message
            else:
                raise AssertionError((first, content))

    def until(self, kind: str) -> dict[str, Any]:
        """The next message of a kind; none may be a refusal."""
        while True:
            message = self.receive()
            assert message["type"] != "refused", message
            if message["type"] == kind:
                return message

    def view(self) -> dict[str, Any]:
        """The next view, alone or with an acknowledgement; none may be a refusal."""
        end = time.monotonic() + LONGEST
        while time.monotonic() < end:
            message = self.receive()
            assert message["type"] != "refused", message
            if message.get("view"):
                view: dict[str, Any] = message["view"]
                return view
        raise AssertionError(f"no view within {LONGEST} seconds")

    def close(self) -> None:
        """Say goodbye."""
        self._over.set()
        self._frame(8, struct.pack("!H", 1000))
        self._stream.close()
        self._socket.close()

    def _frame(self, code: int, content: bytes) -> None:
        mask = secrets.token_bytes(4)
        size = len(content)
        head = bytes((0x80 | code, 0x80 | size)) if size < 126 else struct.pack(
            "!BBH", 0x80 | code, 0x80 | 126, size
        )  # fmt: skip
        masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(content))
        with self._lock:
            self._socket.sendall(head + mask + masked)


def play(base: str, folder: Path, bots: tuple[str, ...] = ("easy", "medium")) -> dict[str, Any]:
    """Play a whole game; what was seen on the way."""
    caller = Caller(base)
    caller.json("POST", "/api/guests", {"name": "Ana"})
    made = caller.json("POST", "/api/tables", {"seats": 1 + len(bots)})
    table = made["table"]["table"]
    seed = secrets.token_hex(32)
    commit = hashlib.sha256(f"SB1|seat|{table}|0|{seed}".encode()).hexdigest()
    seated = caller.json("POST", f"/api/tables/{table}/seats", {"seat": 0, "commit": commit})
    link = Socket(caller)
    link.send({"type": "hello", "protocol": 1, "token": seated["token"]})
    link.until("welcome")

    def act(key: str, action: str) -> None:
        link.send({"type": "act", "key": f"{key}.{secrets.token_hex(4)}", "action": action})

    for seat, bot in enumerate(bots, 1):
        act("0.0", f"bot {seat} {bot}")
        link.until("ack")
    shown = caller.json("GET", f"/api/tables/{table}")
    act("0.1", "start")
    link.until("ack")
    act("0.2", f"open {seed}")
    view = link.view()
    rounds = 0
    while view["result"] is None:
        if view["options"] and view["choice"] is None and view["public"]["round"] == rounds:
            act(f"{rounds}.3", view["options"][0]["move"])
            rounds += 1
        view = link.view()
    link.send({"type": "ping"})
    link.until("pong")
    link.close()
    (folder / "record.txt").write_bytes(caller.call("GET", f"/api/tables/{table}/record"))
    proof = caller.call("GET", f"/api/tables/{table}/proof")
    (folder / "proof.json").write_bytes(proof)
    told = json.loads(proof)
    assert told["seat_seeds"][0] == seed
    assert told["server_commit"] == shown["commit"], "the server changed its mind"
    return {
        "table": table,
        "rounds": rounds,
        "result": view["result"],
        "cookie": caller.attributes,
    }


if __name__ == "__main__":
    socket.setdefaulttimeout(WAIT)
    print(json.dumps(play(sys.argv[1].rstrip("/"), Path(sys.argv[2]))))
