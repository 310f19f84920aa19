"""The shipped settings of reverse proxies, with real proxies: a game played through TLS."""

import json
import os
import re
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.command import COMMAND
from tests.service.postgres import _free_port as free_port
from tests.service.processes import LIMIT, eventually, serving
from tests.service.test_wheel import STRANGER
from tests.service.uncompiled import PROGRAM
from tests.tools import needed

pytestmark = pytest.mark.long
DEPLOY = Path(__file__).parents[2] / "deploy"
AROUND = """
{user}
daemon off;
pid {folder}/pid;
error_log stderr crit;
events {{}}
http {{
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {site}
}}
"""


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a certificate for this machine."""
    openssl = needed("openssl")
    folder = tmp_path_factory.mktemp("certificate")
    subprocess.run(
        [
            *(openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
            *("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"),
            *("-keyout", folder / "key.pem", "-out", folder / "cert.pem"),
        ],
        check=True,
        capture_output=True,
        timeout=LIMIT,
    )
    return folder


def nginx_command(folder: Path, certificate: Path, port: int, plain: int, server: str) -> list[str]:
    """Debian's nginx with the shipped site: only ports, files and the address are others."""
    site = (DEPLOY / "nginx.conf").read_text()
    for pattern, replacement in (
        (r"listen \[::\].*;", ""),
        (r"listen 80;", f"listen 127.0.0.1:{plain};"),
        (r"listen 443 ", f"listen 127.0.0.1:{port} "),
        (r"play\.example\.org;", "localhost;"),
        (r"https://\$host", f"https://$host:{port}"),
        (r"ssl_certificate .*;", f"ssl_certificate {certificate}/cert.pem;"),
        (r"ssl_certificate_key .*;", f"ssl_certificate_key {certificate}/key.pem;"),
        (r"/var/log/nginx/sideboards\.log", f"{folder}/log"),
        (r"server 127\.0\.0\.1:8000 ", f"server {server} "),
    ):
        site, found = re.subn(pattern, replacement, site)
        assert found, pattern
    user = "user root;" if os.getuid() == 0 else ""
    file = folder / "nginx.conf"
    file.write_text(AROUND.format(user=user, folder=folder, site=site))
    return [needed("nginx"), "-c", str(file), "-p", str(folder), "-e", "stderr"]


def caddy_command(folder: Path, certificate: Path, port: int, plain: int, server: str) -> list[str]:
    """Caddy with the shipped site: only ports, the certificate and the address are others."""
    site = (DEPLOY / "Caddyfile").read_text()
    assert "{$SIDEBOARDS_SITE:play.example.org} {" in site
    site = site.replace(
        "{$SIDEBOARDS_SITE:play.example.org} {",
        f"https://localhost:{port} {{\n\ttls {certificate}/cert.pem {certificate}/key.pem",
    )
    head = f"{{\n\tadmin off\n\thttp_port {plain}\n\tauto_https disable_redirects\n}}\n"
    (folder / "Caddyfile").write_text(head + site)
    command = [
        needed("caddy"),
        "run",
        "--adapter",
        "caddyfile",
        "--config",
        str(folder / "Caddyfile"),
    ]
    return ["env", f"HOME={folder}", f"SIDEBOARDS_SERVERS={server}", *command]


@contextmanager
def proxied(name: str, folder: Path, certificate: Path, *options: str) -> Iterator[httpx.Client]:
    """A browser's view of a real server behind a real proxy."""
    port, plain = free_port(), free_port()
    origin = f"https://localhost:{port}"
    behind = ("--proxy", "127.0.0.1", "--origin", origin, "--database", str(folder / "games.db"))
    with serving(PROGRAM, *behind, "--processes", "1", *options, cwd=folder) as server:
        make = {"nginx": nginx_command, "caddy": caddy_command}[name]
        address = server.address.removeprefix("http://")
        command = make(folder, certificate, port, plain, address)
        with (folder / "said").open("wb") as log:
            proxy = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            trust = ssl.create_default_context(cafile=certificate / "cert.pem")
            with httpx.Client(base_url=origin, verify=trust, timeout=10) as client:
                eventually(lambda: proxy.poll() is not None or _answers(client))
                assert proxy.poll() is None, (folder / "said").read_text()
                yield client
        finally:
            proxy.terminate()
            proxy.wait(LIMIT)


def _answers(client: httpx.Client) -> bool:
    try:
        return client.get("/ready").status_code == 200
    except httpx.TransportError:
        return False


@pytest.mark.parametrize("name", ["nginx", "caddy"])
def test_a_game_through_the_proxy(name: str, tmp_path: Path, certificate: Path) -> None:
    with proxied(name, tmp_path, certificate, "--guests-per-hour", "2") as client:
        done = subprocess.run(
            [sys.executable, "-I", "-S", STRANGER, str(client.base_url), tmp_path],
            env=os.environ | {"SSL_CERT_FILE": str(certificate / "cert.pem")},
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT,
        )
        assert done.returncode == 0, done.stderr
        seen = json.loads(done.stdout)
        assert seen["rounds"] == 7
        assert {"Secure", "HttpOnly", "SameSite=strict"} <= set(seen["cookie"])

        health = client.get("/health")
        assert health.headers["Strict-Transport-Security"] == "max-age=31536000"
        assert health.headers["X-Content-Type-Options"] == "nosniff"
        assert client.get("/metrics").status_code == 404
        trust = ssl.create_default_context(cafile=certificate / "cert.pem")
        elsewhere = httpx.HTTPTransport(local_address="127.0.0.2", verify=trust)

        # Who is there is believed of the proxy, and of nobody else.
        wish = {"name": "Ben", "token": True}
        claim = {"X-Forwarded-For": "192.0.2.7"}
        assert client.post("/api/guests", json=wish).status_code == 201
        assert client.post("/api/guests", json=wish, headers=claim).status_code == 429
        with httpx.Client(base_url=client.base_url, transport=elsewhere) as other:
            assert other.post("/api/guests", json=wish).status_code == 201

        foreign = {"Origin": "https://elsewhere.example"}
        answer = client.post("/api/guests", json=wish, headers=foreign)
        assert answer.json()["code"] == "foreign_origin"
    checked = subprocess.run(
        [COMMAND, "verify", "proof.json", "record.txt"], cwd=tmp_path, check=False, timeout=LIMIT
    )
    assert checked.returncode == 0
    assert "127.0.0.2" not in "".join(
        file.read_text(errors="replace") for file in tmp_path.iterdir() if file.is_file()
    )
