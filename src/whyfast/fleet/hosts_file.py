"""hosts.toml: the hosts on which workers are started by ssh, every mistake with key and line."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path

from whyfast.study.toml_document import read_document
from whyfast.study.toml_table import TomlTable
from whyfast.study.wording import quoted


@dataclass(frozen=True)
class LaunchHost:
    """``ssh`` are the words of what runs a shell's command line there, that comes last;
    ``whyfast`` those of whyfast there. ``home`` is for WHYFAST_HOME and ``certificates`` a folder,
    both as seen there, and empty where nothing is said."""

    name: str
    ssh: tuple[str, ...]
    whyfast: tuple[str, ...]
    home: str
    certificates: str


@dataclass(frozen=True)
class HostsFile:
    """``listen`` is where the scheduler listens and the hosts reach it; ``certificates`` those of
    this machine."""

    listen: str
    certificates: Path | None
    hosts: tuple[LaunchHost, ...]


#: What is said to ssh: ask nothing, do not wait long for a host, notice one that has gone.
SSH = ("ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=10")


def read_hosts(file: Path) -> HostsFile:
    """StudyError, with line, key and what would be right, for the first mistake."""
    top = TomlTable(document := read_document(file), (), document.data)
    top.check_keys("listen", "certificates", "ssh", "host")
    top.require("listen", 'listen = "192.0.2.1:8786", an address of this machine that hosts reach')
    certificates = top.string("certificates")
    listen = _listen(top, bool(certificates))
    top.require("host", '[host.NAME] with ssh = "ADDRESS" for each host')
    hosts = tuple(_host(table, top, bool(certificates)) for _, table in top.table("host").tables())
    if not hosts:
        raise top.error(("host",), "has no host", 'write [host.NAME] with ssh = "ADDRESS"')
    folder = Path(certificates).expanduser() if certificates else None
    return HostsFile(listen, folder and file.absolute().parent / folder, hosts)


def _listen(top: TomlTable, encrypted: bool) -> str:
    text = top.string("listen")
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit() or int(port) > 65535:
        raise top.error(("listen",), f"{quoted(text)} is no address", "write HOST:PORT")
    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        loopback = host == "localhost"
    else:
        loopback = address.is_loopback
        if address.is_unspecified:
            hint = "write the one address of this machine that the hosts reach"
            raise top.error(("listen",), f"{host} is every address", hint)
    if not loopback and not encrypted:
        raise top.error(
            ("certificates",),
            "is missing: other machines reach that address, and workers run programs",
            'make them by whyfast fleet certificates FOLDER, and write certificates = "FOLDER"',
        )
    return text


def _host(table: TomlTable, top: TomlTable, encrypted: bool) -> LaunchHost:
    table.check_name("a host")
    table.check_keys("ssh", "whyfast", "home", "certificates", "options")
    table.require("ssh", 'ssh = "ADDRESS", as you would give it to ssh')
    address = table.string("ssh")
    if address.startswith("-"):
        raise table.error(("ssh",), f"{quoted(address)} is an option, no address", "use options")
    for key in ("home", "certificates"):
        if table.string(key).startswith("~"):
            hint = "write it from / on, or from the folder on that ssh begins in"
            raise table.error((key,), "begins with ~, which no shell expands here", hint)
    if encrypted:
        table.require("certificates", 'certificates = "FOLDER", where they are on that host')
    elif "certificates" in table:
        raise top.error(("certificates",), "is missing, but a host has some")
    return LaunchHost(
        str(table.key[-1]),
        (*_words(top, "ssh", SSH), *table.strings("options"), address),
        _words(table, "whyfast", ("whyfast",)),
        table.string("home"),
        table.string("certificates"),
    )


def _words(table: TomlTable, key: str, otherwise: tuple[str, ...]) -> tuple[str, ...]:
    """A command; that of whyfast may be the one word that it is."""
    if key not in table:
        return otherwise
    one = key == "whyfast" and isinstance(table.data[key], str)
    words = (table.string(key),) if one else table.strings(key)
    if not words:
        raise table.error((key,), "is empty", "leave it out, or write the words of a command")
    return words
