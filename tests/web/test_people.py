"""People at a table: by a link, on one device, as spectators, leaving, returning, out of time."""

import json
from random import Random

from playwright.sync_api import WebSocket, expect

from tests.web.deals import begun
from tests.web.games import keys, play, rematch, totals
from tests.web.screen import ROUNDS, Screen
from tests.web.visitors import DESKTOP, House, Visitor


def sit_down(visitor: Visitor, name: str) -> None:
    screen = Screen(visitor.page)
    visitor.page.get_by_label(screen.say("web.lobby.yourname"), exact=True).fill(name)
    screen.button("web.lobby.sit").first.click()


def friends(site: House) -> tuple[Visitor, str]:
    """Somebody who has opened a table for friends, and the link to it."""
    ana = site.visit("/", speed="none", knowsRules=True)
    named = Screen(ana.page).say("web.lobby.friends")
    ana.page.get_by_role("button", name=named).click()
    ana.page.wait_for_url("**/t/*")
    return ana, ana.page.url


def test_two_browsers_at_one_table_and_the_rematch(site: House) -> None:
    ana, link = friends(site)
    ben = site.visit(link.removeprefix(site.base), speed="none", knowsRules=True)
    sit_down(ben, "Ben")
    here = Screen(ana.page)
    expect(ana.page.get_by_text("Ben").first).to_be_visible()
    if here.button("web.lobby.fewer").is_visible():
        here.button("web.lobby.fewer").click()
    expect(here.button("web.lobby.start")).to_be_enabled()
    here.button("web.lobby.start").click()
    for round_ in range(ROUNDS + 1):
        for visitor in (ana, ben):
            screen = Screen(visitor.page)
            screen.ready(round_)
            keys(screen, round_, Random(round_))
            screen.taken(round_)
    for visitor in (ana, ben):
        Screen(visitor.page).over()
    table = link.rpartition("/")[2]
    assert Screen(ana.page).totals() == totals(ana, table) == Screen(ben.page).totals()
    second = rematch(ana)
    Screen(ben.page).button("web.over.join_rematch").click()
    ben.page.wait_for_url(f"**/t/{second}")
    Screen(ana.page).button("web.lobby.start").click()
    for visitor in (ana, ben):
        Screen(visitor.page).ready(0)


def test_a_spectator_sees_no_hand(site: House) -> None:
    ana = site.visit(speed="none")
    table = ana.dealt("easy", "easy", practice=begun(3, 2))
    watcher = site.visit(size=DESKTOP)
    heard: list[str] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: heard.append(str(frame)))

    watcher.page.on("websocket", listen)
    watcher.page.goto(f"{site.base}/t/{table}")
    screen = Screen(watcher.page)
    expect(screen.round_sign(2)).to_be_visible()
    expect(screen.hand).to_have_count(0)
    expect(screen.lock).to_have_count(0)
    play(ana, keys, begin=2, until=4)
    expect(screen.round_sign(4)).to_be_visible()
    views = [json.loads(frame)["view"] for frame in heard if '"type":"view"' in frame]
    assert len(views) >= 3
    for view in views:
        assert view["hands"] == [None, None, None]
        assert view["options"] == []
        assert view["choice"] is None


def take_the_device(visitor: Visitor) -> None:
    """Uncover the hand; until then nothing of it is there."""
    cover = visitor.page.get_by_role("main").get_by_role("button")
    expect(cover).to_have_count(1)
    expect(Screen(visitor.page).hand).to_have_count(0)
    expect(visitor.page).to_have_title("(1) Sideboards")
    cover.click()


def test_several_people_on_one_device(site: House) -> None:
    """A cover between them hides the hand; in the rematch both have their seats again."""
    ana, _ = friends(site)
    screen = Screen(ana.page)
    ana.page.get_by_text(screen.say("web.lobby.several"), exact=True).click()
    ana.page.get_by_label(screen.say("web.lobby.several.name"), exact=True).fill("Ben")
    several = ana.page.get_by_role("group").filter(has_text=screen.say("web.lobby.several.note"))
    several.get_by_role("button", name=screen.say("web.lobby.sit")).click()
    expect(ana.page.get_by_text("Ben").first).to_be_visible()
    if screen.button("web.lobby.fewer").is_visible():
        screen.button("web.lobby.fewer").click()
    screen.button("web.lobby.start").click()
    for round_ in range(ROUNDS + 1):
        for turn in range(2):
            if turn or round_ == 0:  # whoever closed a round goes on with the next one
                take_the_device(ana)
            screen.ready(round_)
            keys(screen, round_, Random(turn))
    screen.over()
    table = rematch(ana)
    ana.wait(lambda: ana.is_dealt(table))
    seats = ana.call("GET", f"/api/tables/{table}")["seats"]
    assert [seat["name"] for seat in seats][1] == "Ben"
    for turn in range(2):
        take_the_device(ana)
        screen.ready(0)
        keys(screen, 0, Random(turn))
    ana.wait(lambda: ana.view(table)["public"]["round"] == 1)


def test_leaving_and_coming_back(site: House) -> None:
    ben = site.person("Ben")
    visitor = site.visit(speed="none")
    table = visitor.dealt(people=(ben,), practice=begun(2, 2, 4))
    screen = Screen(visitor.page)
    screen.ready(2)
    screen.button("web.menu.open").click()
    screen.button("web.play.leave").click()
    visitor.page.get_by_text(screen.say("web.play.leave.ask")).wait_for()
    screen.button("web.play.leave").click()
    visitor.page.wait_for_url(site.base + "/")
    visitor.wait(lambda: ben.get(f"/api/tables/{table}").json()["seats"][0]["bot"] == "medium")
    visitor.page.goto(f"{site.base}/t/{table}")
    screen.button("web.play.return").click()
    visitor.wait(lambda: ben.get(f"/api/tables/{table}").json()["seats"][0]["bot"] is None)
    expect(screen.lock.or_(screen.change).first).to_be_visible()


def test_the_clock_runs_out_and_the_tentative_choice_counts(own_site: House) -> None:
    ben = own_site.person("Ben")
    visitor = own_site.visit(speed="none")
    sent: list[str] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framesent", lambda frame: sent.append(str(frame)))

    visitor.page.on("websocket", listen)
    table = visitor.dealt(people=(ben,), practice=begun(2, 2, 4), round_seconds=30)
    screen = Screen(visitor.page)
    screen.ready(2)
    screen.card(1).click()
    visitor.wait(lambda: any('"draft"' in frame for frame in sent))
    card = visitor.view(table)["hands"][0][-1][1]
    ben.post("/api/test/clock", {"advance": 31_000})
    expect(screen.round_sign(3)).to_be_visible()
    board = visitor.view(table)["boards"][0].replace("~", "").split()
    assert str(card) in board
    screen.ready(3)
    screen.agrees(visitor.view(table))


def test_a_hidden_tab_tells_that_it_is_ones_turn(site: House) -> None:
    """Only whoever wished it is told, and only while nobody looks."""
    ben = site.person("Ben")
    visitor = site.visit(speed="none", knowsRules=True)
    visitor.context.add_init_script(  # in place of a desktop, which a browser without windows lacks
        """self.told = [];
        self.Notification = class {
          static permission = "default";
          static async requestPermission() { return this.permission = "granted"; }
          constructor(title, options) { told.push(options.body); }
          close() {}
        };"""
    )
    table = visitor.dealt(people=(ben,), practice=begun(2, 2, 4))
    page, screen = visitor.page, Screen(visitor.page)
    for round_, (wished, hidden) in enumerate([(False, True), (True, False), (True, True)], 2):
        screen.ready(round_)
        if wished and round_ == 3:
            screen.button("web.menu.open").click()
            page.get_by_role("switch", name=screen.say("web.menu.notify")).click()
            expect(page.get_by_text(screen.say("web.menu.notify.note"))).to_be_visible()
            screen.button("web.menu.close").click()
        page.evaluate(
            "hidden => Object.defineProperty(document, 'hidden', "
            "{value: hidden, configurable: true})",
            hidden,
        )
        screen.card(0).click()
        screen.lock.click()
        screen.taken(round_)
        ben.do(table, ben.view(table)["options"][0]["move"])
    screen.ready(5)
    told = screen.say("web.say.round", round=5, rounds=ROUNDS)
    assert page.evaluate("told") == [screen.say("web.play.your_turn", round=told)]


def test_a_newer_tab_takes_the_seat_and_the_older_says_so(site: House) -> None:
    visitor = site.visit(speed="none")
    table = visitor.dealt("easy", practice=begun(2, 2, 4))
    Screen(visitor.page).ready(2)
    second = visitor.context.new_page()
    second.goto(f"{site.base}/t/{table}")
    Screen(second).ready(2)
    back = Screen(visitor.page).button("web.play.newer")
    expect(back).to_be_visible()
    back.click()
    Screen(visitor.page).ready(2)
    expect(Screen(second).button("web.play.newer")).to_be_visible()
