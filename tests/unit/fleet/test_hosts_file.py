"""hosts.toml: what is read of it, and every mistake with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from whyfast.fleet.hosts_file import SSH, HostsFile, LaunchHost, read_hosts
from whyfast.fleet.launch import worker_line
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


def test_the_line_for_a_shell_on_the_host_is_quoted(tmp_path: Path) -> None:
    ash, elm = read_hosts(written(tmp_path, WHOLE)).hosts
    assert worker_line(ash, "tls://192.0.2.1:8786", "/own") == (
        "exec env WHYFAST_HOME=/var/lib/whyfast '/opt/my python/bin/python' -m whyfast worker "
        "tls://192.0.2.1:8786 --name ash --attached --certificates keys"
    )
    assert worker_line(elm, "tls://192.0.2.1:8786", "/own") == (
        "exec whyfast worker tls://192.0.2.1:8786 --name elm --attached --certificates /etc/whyfast"
    )


HOST = '\n[host.a]\nssh = "b"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            HOST,
            ': listen: is missing; write listen = "192.0.2.1:8786", an address of this machine '
            "that hosts reach",
        ),
        ('listen = "ash"' + HOST, ':1: listen: "ash" is no address; write HOST:PORT'),
        ('listen = "ash:99999"' + HOST, ':1: listen: "ash:99999" is no address; write HOST:PORT'),
        (
            'listen = "0.0.0.0:1"' + HOST,
            ":1: listen: 0.0.0.0 is every address; write the one address of this machine that the "
            "hosts reach",
        ),
        (
            'listen = "192.0.2.1:1"' + HOST,
            ": certificates: is missing: other machines reach that address, and workers run "
            "programs; make them by whyfast fleet certificates FOLDER, and write "
            'certificates = "FOLDER"',
        ),
        (
            'listen = "[::1]:1"\n',
            ': host: is missing; write [host.NAME] with ssh = "ADDRESS" for each host',
        ),
        (
            'listen = "localhost:1"\n[host]\n',
            ':2: host: has no host; write [host.NAME] with ssh = "ADDRESS"',
        ),
        (
            'listen = "localhost:1"\n[host.a]\n',
            ':2: host.a.ssh: is missing; write ssh = "ADDRESS", as you would give it to ssh',
        ),
        (
            'listen = "localhost:1"\n[host.a]\nssh = "-oProxyCommand=x"\n',
            ':3: host.a.ssh: "-oProxyCommand=x" is an option, no address; use options',
        ),
        (
            'listen = "localhost:1"\n[host.a]\nssh = "b"\nhome = "~/x"\n',
            ":4: host.a.home: begins with ~, which no shell expands here; write it from / on, or "
            "from the folder on that ssh begins in",
        ),
        (
            'listen = "localhost:1"\n[host.a]\nssh = "b"\nhoem = "/x"\n',
            ':4: host.a.hoem: unknown key; did you mean "home"?',
        ),
        (
            'listen = "localhost:1"\nssh = []' + HOST,
            ":2: ssh: is empty; leave it out, or write the words of a command",
        ),
        (
            'listen = "localhost:1"' + HOST + "whyfast = []\n",
            ":4: host.a.whyfast: is empty; leave it out, or write the words of a command",
        ),
        (
            'listen = "localhost:1"\n[host.a]\nssh = "b"\noptions = "-p 1"\n',
            ':4: host.a.options: must be a list of strings, not a string; write ["-p", "1"]',
        ),
        (
            'listen = "localhost:1"\n[host.a]\nssh = "b"\nwhyfast = 3\n',
            ":4: host.a.whyfast: must be a list of strings, not a number",
        ),
        (
            'listen = "localhost:1"\n[host."a b"]\nssh = "b"\n',
            ':2: host."a b": "a b" cannot be the name of a host; use letters, digits and . _ + -',
        ),
        (
            'listen = "localhost:1"\n[host.a]\nssh = "b"\ncertificates = "c"\n',
            ": certificates: is missing, but a host has some",
        ),
        (
            'listen = "192.0.2.1:1"\ncertificates = "c"' + HOST,
            ':3: host.a.certificates: is missing; write certificates = "FOLDER", where they are on '
            "that host",
        ),
    ],
)
def test_every_mistake_is_named(tmp_path: Path, text: str, said: str) -> None:
    file = written(tmp_path, text)
    with pytest.raises(StudyError) as error:
        read_hosts(file)
    assert str(error.value) == f"{file}{said}"
