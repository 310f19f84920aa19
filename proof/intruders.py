"""Who asks: pages of others, forged and found tokens, guessed codes, guests who were deleted."""

import httpx

from proof.tries import Tries, page_of, refused_status
from tests.service.live import (
    SOON,
    Player,
    Wire,
    ask,
    finish,
    greeted,
    new_player,
    new_table,
    playing,
)

MOST_TABLES = 20
WRONG_CODES = 10
ACTIONS = (
    "swap", "undo", "leave", "return", "start", "close", "next", "abandon", "deal", "timeout",
    "L1", "R60~", "1,2", "open " + "0" * 64, "bot 0 easy", "bot 1 random", "remove 0", "remove 1",
    "vote 0", "vote 1", "help 0", "help 1", "sit 0", "settings {}", "reveal", "hand 0",
)  # fmt: skip
"""Actions of all classes, and some that only a server writes."""
FORGED: tuple[dict[str, object], ...] = (
    {"seat": 1}, {"guest": "x"}, {"score": 99}, {"points": {"total": 99}}, {"cards": [1, 2, 3]},
    {"view": {}}, {"host": True}, {"admin": True}, {"at": 0}, {"position": 3}, {"round": 6},
)  # fmt: skip


# ---- row 23: other origins ----------------------------------------------------------------------


async def origins(tries: Tries) -> None:
    """Pages of others open no socket and change nothing with a cookie."""
    here, port = tries.server.here, tries.server.port
    async with httpx.AsyncClient(base_url=here, timeout=SOON) as browser:
        answer = await browser.post("/api/guests", json={"name": "Ana"}, headers={"Origin": here})
        cookie = answer.headers["set-cookie"].partition(";")[0]
        for origin in _foreign(here, port):
            for more in ("", f"Cookie: {cookie}\r\n"):
                said = await refused_status(tries, f"Origin: {origin}\r\n{more}")
                tries.expect(" 403 " in said, f"the origin {origin!r} opened a socket: {said!r}")
            sent = await browser.post("/api/tables", json={}, headers={"Origin": origin})
            tries.expect(sent.status_code == 403, f"the origin {origin!r} made a table")
        said = await refused_status(tries, f"Cookie: {cookie}\r\n")
        tries.expect(" 403 " in said, "a cookie without an origin opened a socket")
        sent = await browser.post("/api/tables", json={})
        tries.expect(sent.status_code == 403, "a cookie without an origin made a table")
        own = await refused_status(tries, f"Origin: {here}\r\nCookie: {cookie}\r\n")
        tries.expect(own == "", "our own page is refused")


def _foreign(here: str, port: int) -> tuple[str, ...]:
    """Origins that are not ours, though some look like it."""
    return (
        "http://elsewhere.example", "https://elsewhere.example", "null", "", "file://",
        f"{here}.elsewhere.example", f"{here}@elsewhere.example", f"http://elsewhere-{port}",
        f"http://x127.0.0.1:{port}", f"http://127.0.0.1:{port + 1}", "http://127.0.0.1",
        f"https://127.0.0.1:{port}", f"{here}/", f"{here} http://elsewhere.example",
        f"http://127.0.0.1.:{port}", f"{here}#",
    )  # fmt: skip


# ---- row 24: tokens -----------------------------------------------------------------------------


async def tokens(tries: Tries) -> None:
    """No secret of a seat or device stands in a log, an address, an export or another's frames."""
    server = tries.server
    async with playing(server, 2, public=True) as players:
        devices = [player.headers["Authorization"].split(" ")[1] for player in players]
        secret = [*devices, *(player.token for player in players)]
        for token in secret:
            strong = len(token.rpartition(".")[2]) * 6
            tries.expect(strong >= 128, f"a token has {strong} bit")
        eve = await new_player(server, "Eve")
        await eve.connect(token=None, table=players[0].table_id)
        await finish(players, tries.rng)
        await eve.until(lambda: eve.round == 7)
        table = players[0].table_id
        own = await players[0].rest("POST", "/api/me/feed")
        paths = [f"/api/tables/{table}{end}" for end in
                 ("", "/view", "/record", "/proof", "/score", "/replay")]  # fmt: skip
        paths += ["/", "/lobby", f"/t/{table}", f"/t/{table}/replay", "/metrics", "/api/tables"]
        paths += [own.json()["path"], f"/t/{table}/qr.svg", "/openapi.json"]
        seen = {path: (await page_of(server, path)).content for path in paths}
        seen |= {"the frames of a spectator": b"".join(eve.frames)}
        seen |= {"the frames of the other": b"".join(players[1].frames)}
        eve.close()
    seen["the log"] = server.log()
    for where, data in seen.items():
        other = secret[:1] + secret[2:3] if where == "the frames of the other" else secret
        for token in other:
            tries.expect(token.encode() not in data, f"a token stands in {where}")
    page = await page_of(server, f"/t/{table}")
    tries.expect(page.headers["referrer-policy"] == "no-referrer", "pages tell where one was")


# ---- rows 25, 26: other seats, forged facts -----------------------------------------------------


async def seats(tries: Tries) -> None:
    """Nobody acts for a seat that is not the own one, as a spectator, or after the end."""
    server = tries.server
    async with playing(server, 2) as (ana, ben), playing(server, 2) as (cleo, _):
        before = (ana.view, ben.view)
        table, seat, guest, sitting, signature = ana.token.split(".")
        of_cleo = cleo.token.split(".")
        forged = [
            f"{table}.1.{guest}.{sitting}.{signature}",
            f"{table}.-1.{guest}.{sitting}.{signature}",
            f"{table}.{seat}.{of_cleo[2]}.{sitting}.{of_cleo[4]}",
            f"{table}.{seat}.{guest}.{int(sitting) + 1}.{signature}",
            f"{table}.{seat}.{guest}.{sitting}.{of_cleo[4]}",
            f"{table}.{seat}.{guest}.{sitting}.",
            f"{table}.{seat}.{guest}.{sitting}.{signature}=",
            f"{of_cleo[0]}.{seat}.{guest}.{sitting}.{signature}",
            ana.headers["Authorization"].split(" ")[1],
            table,
            guest,
        ]
        for token in forged:
            wire = await Wire.connect(server.port)
            wire.send(type="hello", protocol=1, token=token)
            wire.send(type="act", key="0.1.abcd", action=ana.moves[0])
            code = await wire.closed()
            tries.expect(code == 4003, f"a forged token was closed with {code}, expected 4003")
            if code != 4003:
                return  # one that is let in is waited for until it is silent for too long
        wire = await Wire.connect(server.port)
        wire.send(type="hello", protocol=1, table=table)
        await _none_taken(tries, wire, "a spectator", ana.moves)
        await _none_taken(tries, await Wire.connect(server.port), "a stranger", ana.moves)
        for number, action in enumerate((*ACTIONS, ana.moves[0])):
            wish = {"key": f"0.{number}.abcd", "action": action}
            sent = await cleo.rest("POST", f"/api/tables/{table}/actions", wish)
            tries.expect(sent.status_code >= 400, f"{action!r} of somebody else was taken")
        for path, body in (
            ("draft", {"round": 0, "move": ana.moves[0]}),
            ("phrases", {"phrase": "nice"}),
            ("rematch", None),
        ):
            sent = await cleo.rest("POST", f"/api/tables/{table}/{path}", body)
            tries.expect(sent.status_code >= 400, f"{path} of somebody else was taken")
        sent = await cleo.rest("PATCH", f"/api/tables/{table}", {"seats": 3})
        tries.expect(sent.status_code >= 400, "somebody else changed the table")
        tries.expect((ana.view, ben.view) == before, "strangers changed a game")
        await _forged_fields(tries, ana, ben)
        await finish([ana, ben], tries.rng)
        result = ana.view
        for action in (*ACTIONS, "L1", "1,2~"):
            if action not in ("leave", "next"):
                answer = await ana.act(action)
                tries.expect(answer["type"] == "refused", f"{action!r} was taken after the end")
        tries.expect(ana.view == result, "a game changed after its end")


async def _none_taken(tries: Tries, wire: Wire, who: str, moves: list[str]) -> None:
    """Somebody without a seat tries everything."""
    wanted = {}
    for number, action in enumerate((*ACTIONS, *moves[:3])):
        wanted[f"0.{number}.none"] = action
        wire.send(type="act", key=f"0.{number}.none", action=action)
    wire.send(type="say", phrase="nice")
    wire.send(type="draft", round=0, move=moves[0])
    while wanted:
        message = await wire.message()
        tries.expect(message["type"] != "ack", f"an action of {who} was taken: {message}")
        if message["type"] in ("ack", "refused"):
            wanted.pop(message["key"] or "", None)
    wire.abort()


async def _answer_to(player: Player, message: dict[str, object]) -> str:
    """The code with which a message is refused, or the kind of the answer."""
    seen = len(player.messages)

    def answers() -> list[str]:
        # A pong may be that to a ping of the player's own.
        return [
            str(each.get("code", each["type"]))
            for each in player.messages[seen:]
            if each["type"] != "pong"
        ]

    player.send(**message)
    await player.until(answers)
    return answers()[0]


async def _forged_fields(tries: Tries, ana: Player, ben: Player) -> None:
    """What a client claims besides is refused, and changes nothing."""
    before = (ana.view, ben.view, ana.table)
    messages: list[dict[str, object]] = [
        {"type": "act", "key": "0.1.forged", "action": ana.moves[0]},
        {"type": "draft", "round": 0, "move": None},
        {"type": "say", "phrase": "nice"},
        {"type": "ping"},
        {"type": "resync"},
        {"type": "hello", "protocol": 1, "token": ana.token},
    ]
    for message in messages:
        for more in FORGED:
            if not more.keys() & message.keys():
                answer = await _answer_to(ana, message | more)
                tries.expect(
                    answer == "bad_message", f"{message['type']} with {more} was answered {answer}"
                )
    bodies: dict[str, dict[str, object]] = {
        "seats": {"seat": 0, "commit": ""},
        "actions": {"key": "0.1.forged", "action": ana.moves[0]},
        "draft": {"round": 0, "move": None},
        "phrases": {"phrase": "nice"},
    }
    for path, body in bodies.items():
        for more in FORGED:
            if not more.keys() & body.keys():
                where = f"/api/tables/{ana.table_id}/{path}"
                sent = await ana.rest("POST", where, body | more)
                tries.expect(sent.status_code == 400, f"{path} with {more}: {sent.status_code}")
    tries.expect((ana.view, ben.view, ana.table) == before, "forged fields changed a game")


# ---- row 35: guessing and spam ------------------------------------------------------------------


async def guesses(tries: Tries) -> None:
    """Nobody guesses a code or a link, and nobody fills the house with tables."""
    server = tries.server
    ana = await new_player(server)
    table = await new_table(ana)
    for path, wrong in (("/api/codes", "wrong_code"), ("/api/transfer", "wrong_transfer")):
        codes = []
        for number in range(WRONG_CODES + 15):
            size = 6 if path == "/api/codes" else 10
            code = "".join(tries.rng.choices("23456789ABCDEFGHJKLMNPQRSTUVWXYZ", k=size))
            proxied = {"X-Forwarded-For": f"192.0.2.{number}"}
            sent = await ask(server, "POST", path, {"code": code}, proxied)
            codes.append(sent.json()["code"])
        right = [wrong] * WRONG_CODES + ["too_many_requests"] * 15
        tries.expect(codes == right, f"{path}: {codes.count(wrong)} wrong codes were tried")
    for _ in range(50):
        guess = "".join(tries.rng.choices("23456789abcdefghjklmnpqrstuvwxyz", k=len(table)))
        sent = await ask(server, "GET", f"/api/tables/{guess}", None)
        tries.expect(sent.status_code >= 400, f"the link {guess} was guessed")
    tries.expect(len(table) * 5 >= 60, f"a link has {len(table) * 5} bit")
    made = [await ana.rest("POST", "/api/tables", {}) for _ in range(MOST_TABLES + 4)]
    taken = 1 + sum(each.status_code == 201 for each in made)
    tries.expect(taken == MOST_TABLES, f"somebody has {taken} open tables")
    tries.expect(made[-1].json()["code"] == "too_many_tables", "the limit is not told")


# ---- row 38: who was deleted --------------------------------------------------------------------


async def forgotten(tries: Tries) -> None:
    """Whoever is deleted plays nowhere any more: neither on over an open socket nor anew."""
    server = tries.server
    async with playing(server, 2) as (ana, ben):
        sent = await ben.rest("DELETE", "/api/me")
        tries.expect(sent.status_code == 204, "somebody could not be deleted")
        await ben.until(lambda: ben.close_code is not None)
        tries.expect(ben.close_code == 4003, f"a deleted guest was closed with {ben.close_code}")
        again = await greeted(ben)
        again.send(type="act", key="0.1.back", action="return")
        code = await again.closed()
        tries.expect(code == 4003, f"a deleted guest came back, and was closed with {code}")
        await ana.until(lambda: ana.table["seats"][1]["bot"] is not None)
        tries.expect(ana.table["seats"][1]["name"] is None, "a deleted guest's name is shown")
        await finish([ana], tries.rng)
    async with playing(server, 1) as (cleo,):
        host = await new_player(server)
        table = await host.rest("POST", "/api/tables", {})
        watching = await Wire.connect(server.port)
        watching.send(type="hello", protocol=1, token=table.json()["token"])
        await watching.message()
        await host.rest("DELETE", "/api/me")
        tries.expect(await watching.closed() == 4003, "a deleted host still watches")
        tries.expect(cleo.close_code is None, "somebody else was closed")
