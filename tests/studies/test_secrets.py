"""A token in the address of a source, and secrets in the environment of its build: they are used,
and found nowhere afterwards."""

import functools
import http.server
import json
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.studies.commit_study import Repository
from tests.studies.test_run import whyfast

from whyfast.store.home import Home

TOKEN, SECRET, OWN = "T0ken-of-the-address", "s3cret-of-the-build", "0wn-of-the-variant"

STUDY = """
[study]
title = "Is it the same?"
baseline = "base"
[source]
git = "{address}"
revision = "main"
[build]
steps = [
  'test "$API_TOKEN" = "$(echo {secret} | rev)"',
  'test "$PIN" = "$(echo {own} | rev)"',
  "{{cc}} {{cflags}} -o {{program}} {{source}}/main.c",
]
program = "main"
env = {{ API_TOKEN = "{secret_}", GREETING = "hello" }}
hide = ["P?N"]
[variant.base]
toolchain = "path:gcc"
env = {{ PIN = "{own_}" }}
[variant.other]
extends = "base"
cflags = ["-O1"]
[benchmarks.main]
runner = "command"
command = ["{{program}}"]
[measure]
budget = "500ms"
"""


class _Quiet(http.server.SimpleHTTPRequestHandler):
    """It asks for a user, as a server with private repositories does."""

    def do_GET(self) -> None:
        if "Authorization" not in self.headers:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="all"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        super().do_GET()

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Of a repository that only a token opens; without the part before the host."""
    made = Repository(tmp_path / "work")
    (made.folder / "main.c").write_text("int main(void) { return 0; }\n")
    made.commit("one")
    subprocess.run(["git", "clone", "-q", "--bare", made.folder, tmp_path / "one.git"], check=True)
    subprocess.run(["git", "-C", tmp_path / "one.git", "update-server-info"], check=True)
    handler = functools.partial(_Quiet, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_port}/one.git"
        server.shutdown()


def test_secrets_are_used_and_not_kept(
    own_home: Home, tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    folder = tmp_path / "study"
    folder.mkdir()
    text = STUDY.format(
        address=f"http://me:{TOKEN}@{address}",
        secret=SECRET[::-1],
        own=OWN[::-1],
        secret_=SECRET,
        own_=OWN,
    )
    (folder / "study.toml").write_text(text)
    out = tmp_path / "result.json"
    done = [whyfast("run", folder, "--json", out, "--html", tmp_path / "result.html")]
    done += [whyfast("plan", folder), whyfast("builds", "show", _digest(out))]
    result = json.loads(out.read_text())["data"]
    assert result["question"]["source"]["name"] == f"http://{address}"
    assert result["question"]["build"]["env"]["GREETING"] == "hello"
    shown = result["question"]["build"]["env"]["API_TOKEN"]
    assert shown.startswith("hidden:")
    (build, _) = result["recorded"]["builds"]
    assert build["provenance"]["inputs"]["env"]["API_TOKEN"] == shown
    kept = [p for place in (own_home.cache, own_home.data) for p in place.rglob("*")]
    files = [p for p in (*kept, out, tmp_path / "result.html") if p.is_file()]
    assert own_home.database in files
    for secret in (TOKEN, SECRET, OWN):
        assert [p for p in files if secret.encode() in p.read_bytes()] == []
        assert not any(secret in d.stdout + d.stderr for d in done)
    # What the first fetch kept has no token, and yet a second one can be made.
    work = Repository.__new__(Repository)
    work.folder, work.count = tmp_path / "work", 1
    (work.folder / "main.c").write_text("int main(void) { return 0; } // two\n")
    work.commit("two")
    subprocess.run(
        ["git", "-C", tmp_path / "one.git", "fetch", "-q", work.folder, "+main:main"], check=True
    )
    subprocess.run(["git", "-C", tmp_path / "one.git", "update-server-info"], check=True)
    head = subprocess.check_output(["git", "-C", work.folder, "rev-parse", "main"], text=True)
    (folder / "study.toml").write_text(
        text.replace('"main"\n[build]', f'"{head.strip()}"\n[build]')
    )
    assert "fetching http://127.0.0.1" in whyfast("run", folder, "--json", out).stderr


def _digest(out: Path) -> str:
    digest: str = json.loads(out.read_text())["data"]["recorded"]["builds"][0]["digest"]
    return digest[:12]
