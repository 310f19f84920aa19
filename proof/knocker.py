"""`python -m proof.knocker PORT RATE SECONDS`: opens connections, says half a request on each.

Nothing is ever asked to its end, and nothing is read. The last ones are held open and those before
are dropped, so that few files are open here. How many were opened is written at the end.
"""

import socket
import struct
import sys
import time
from collections import deque

HALF = b"GET / HTTP/1.1\r\nHost: h\r\nX-Half: "
HELD = 1_000
"""Connections that are open at the same time."""
AT_ONCE = 50
DROP = struct.pack("ii", 1, 0)
"""For SO_LINGER: a connection ends at once, and its port can be used again."""


def knock(port: int, rate: float, seconds: float) -> int:
    """Open at most so many connections per second; how many were opened."""
    held: deque[socket.socket] = deque()
    opened, begun = 0, time.monotonic()
    try:
        while (now := time.monotonic() - begun) < seconds:
            if opened >= rate * now:
                time.sleep(0.001)
                continue
            for _ in range(AT_ONCE):
                door = socket.socket()
                held.append(door)
                door.settimeout(0)
                door.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, DROP)
                door.connect_ex(("127.0.0.1", port))
                try:
                    door.send(HALF)
                    opened += 1
                except OSError:  # the server has not taken those before it yet
                    time.sleep(0.001)
                if len(held) > HELD:
                    held.popleft().close()
    finally:
        for door in held:
            door.close()
    return opened


if __name__ == "__main__":
    print(knock(int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])))
