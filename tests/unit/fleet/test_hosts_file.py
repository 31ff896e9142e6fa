"""hosts.toml: what is read of it, and every mistake with its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.fleet.launch import SSH, HostsFile, LaunchHost, read_hosts, worker_line
from whyfast.model.errors import StudyError

WHOLE = """\
listen       = "192.0.2.1:8786"
certificates = "fleet"

[host.ash]
ssh          = "me@ash.example.org"
options      = ["-p", "2222"]
whyfast      = ["/opt/my python/bin/python", "-m", "whyfast"]
home         = "/var/lib/whyfast"
certificates = "keys"

[host.elm]
ssh          = "elm"
certificates = "/etc/whyfast"
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "hosts.toml"
    file.write_text(text)
    return file


def test_a_whole_file(tmp_path: Path) -> None:
    assert read_hosts(written(tmp_path, WHOLE)) == HostsFile(
        "192.0.2.1:8786",
        tmp_path / "fleet",
        (
            LaunchHost(
                "ash",
                (*SSH, "-p", "2222", "me@ash.example.org"),
                ("/opt/my python/bin/python", "-m", "whyfast"),
                "/var/lib/whyfast",
                "keys",
            ),
            LaunchHost("elm", (*SSH, "elm"), ("whyfast",), "", "/etc/whyfast"),
        ),
    )


def test_on_loopback_nothing_else_is_needed_and_ssh_can_be_another_command(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        'listen = "localhost:0"\nssh = ["rsh", "-n"]\n[host.a]\nssh = "b"\nwhyfast = "w"\n',
    )
    host = LaunchHost("a", ("rsh", "-n", "b"), ("w",), "", "")
    assert read_hosts(file) == HostsFile("localhost:0", None, (host,))


def test_the_line_for_a_shell_on_the_host_is_quoted(tmp_path: Path, golden: Hear) -> None:
    ash, elm = read_hosts(written(tmp_path, WHOLE)).hosts
    golden(worker_line(ash, "tls://192.0.2.1:8786", "/own"))
    golden(worker_line(elm, "tls://192.0.2.1:8786", "/own"))


HOST = '\n[host.a]\nssh = "b"\n'


@pytest.mark.parametrize(
    "text",
    [
        HOST,
        'listen = "ash"' + HOST,
        'listen = "ash:99999"' + HOST,
        'listen = "0.0.0.0:1"' + HOST,
        'listen = "192.0.2.1:1"' + HOST,
        'listen = "[::1]:1"\n',
        'listen = "localhost:1"\n[host]\n',
        'listen = "localhost:1"\n[host.a]\n',
        'listen = "localhost:1"\n[host.a]\nssh = "-oProxyCommand=x"\n',
        'listen = "localhost:1"\n[host.a]\nssh = "b"\nhome = "~/x"\n',
        'listen = "localhost:1"\n[host.a]\nssh = "b"\nhoem = "/x"\n',
        'listen = "localhost:1"\nssh = []' + HOST,
        'listen = "localhost:1"' + HOST + "whyfast = []\n",
        'listen = "localhost:1"\n[host.a]\nssh = "b"\noptions = "-p 1"\n',
        'listen = "localhost:1"\n[host.a]\nssh = "b"\nwhyfast = 3\n',
        'listen = "localhost:1"\n[host."a b"]\nssh = "b"\n',
        'listen = "localhost:1"\n[host.a]\nssh = "b"\ncertificates = "c"\n',
        'listen = "192.0.2.1:1"\ncertificates = "c"' + HOST,
    ],
)
def test_every_mistake_is_named(tmp_path: Path, text: str, golden: Hear) -> None:
    file = written(tmp_path, text)
    with pytest.raises(StudyError) as error:
        read_hosts(file)
    golden(str(error.value))
