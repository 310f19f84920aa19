"""Guests that are kept between two runs."""

from pathlib import Path

import pytest

from sideboards import Edition, Refusal
from sideboards.client import Client, Promise, Sitting
from sideboards.client.saved import Saved, default_file


def client(url: str, edition: Edition, token: str | None = None) -> Client:
    return Client(url, token=token, edition=edition)


def test_a_guest_comes_back_with_all_seats(tmp_path: Path, edition: Edition) -> None:
    file = tmp_path / "config" / "guests.json"
    one, other = client("http://a:1", edition, "secret"), client("http://b:1", edition, "second")
    sitting = Sitting("k3v9", 1, "seat", "5a" * 32, Promise("rules", "c", ("", "d")), opened=True)
    one.sittings["k3v9"] = sitting
    Saved(file).save(one)
    Saved(file).save(other)
    again = client("http://a:1/", edition)
    assert Saved(file).restore(again)
    assert (again.token, again.sittings) == ("secret", {"k3v9": sitting})
    assert not Saved(file).restore(client("http://c:1", edition))
    assert Saved(file).restore(client("http://b:1", edition))


def test_only_the_owner_can_read_it(tmp_path: Path, edition: Edition) -> None:
    file = tmp_path / "guests.json"
    Saved(file).save(client("http://a:1", edition, "secret"))
    assert file.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["guests.json"]


def test_a_spoiled_file_is_refused_and_kept(tmp_path: Path, edition: Edition) -> None:
    file = tmp_path / "guests.json"
    file.write_text("mine")
    with pytest.raises(Refusal, match="expected saved guests, or no file"):
        Saved(file).save(client("http://a:1", edition, "secret"))
    assert file.read_text() == "mine"
    with pytest.raises(Refusal, match="expected a file to read"):
        Saved(file / "under").save(client("http://a:1", edition, "x"))


def test_where_it_is_kept() -> None:
    assert default_file({"HOME": "/home/ana"}) == Path("/home/ana/.config/sideboards/guests.json")
    assert default_file({"HOME": "/x", "XDG_CONFIG_HOME": "/c"}) == Path(
        "/c/sideboards/guests.json"
    )
