"""Addresses and certificates of a fleet, and the sealing of its processes. One certificate, by the
openssl command, serves a fleet: coordinator, scheduler and workers accept no other. :func:`seal`
keeps messages from importing, writing or starting anything."""

from __future__ import annotations

import errno
import ipaddress
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from whyfast.model.errors import UserError, optional
from whyfast.store.files import make_once, replacing
from whyfast.store.home import make_private, own_home

with optional("distributed", "fleet"):
    from distributed.security import Security

#: The certificate of a fleet, and its key.
CERTIFICATE, KEY = "fleet.pem", "fleet-key.pem"

#: Days of validity of a certificate that never leaves its machine.
LONG = 3650


def make_certificates(folder: Path, days: int) -> tuple[Path, Path]:
    """Make the files of the certificate and its key, in a folder closed to other users. UserError
    when the files exist, or openssl is missing or fails."""
    if days < 1:
        raise UserError("not a number of days: expected 1 or more", where=f"--days {days}")
    certificate, key = folder / CERTIFICATE, folder / KEY
    for file in (certificate, key):
        if file.exists():
            raise UserError("exists already; name another folder, or delete it", where=file)
    openssl = shutil.which("openssl")
    if openssl is None:
        raise UserError("openssl is not installed; install it to make certificates")
    make_private(folder)
    words = (
        *(openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"),
        *("-nodes", "-days", str(days), "-subj", "/CN=whyfast fleet"),
        *("-keyout", str(key), "-out", str(certificate)),
    )
    done = subprocess.run(words, capture_output=True, text=True, umask=0o077)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no output"]
        raise UserError(f"openssl failed: {lines[-1]}", where=folder)
    return certificate, key


def own_certificates() -> Path:
    """The folder with this user's own certificate for loopback, made once in each home. Only
    processes of this user can use it. UserError as :func:`make_certificates`."""
    folder = own_home().data / "fleet" / "loopback"

    def make() -> None:
        with replacing(folder) as work:
            make_certificates(work / "made", LONG)

    folder.parent.mkdir(mode=0o700, exist_ok=True)
    make_once(folder, folder.is_dir, make, lambda: None)
    return folder


@dataclass(frozen=True)
class Address:
    """Where a scheduler listens; ``host`` is a name or number."""

    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"tls://{host}:{self.port}"

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return self._is("is_loopback", otherwise=self.host == "localhost")

    @property
    def unspecified(self) -> bool:
        """Whether it is every address of this machine."""
        return self._is("is_unspecified", otherwise=False)

    def _is(self, quality: str, otherwise: bool) -> bool:
        try:
            return bool(getattr(ipaddress.ip_address(self.host), quality))
        except ValueError:  # a name
            return otherwise


def parse_address(text: str) -> Address | None:
    """``HOST:PORT``; None for anything else."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        return None
    return Address(host.strip("[]"), int(port))


def read_address(text: str, certificates: Path | None, option: str) -> Address:
    """``HOST:PORT``, with or without ``tls://`` before it. UserError for anything else, and for
    another machine without certificates."""
    protocol, _, place = text.rpartition("://")
    address = parse_address(place)
    if address is None:
        raise UserError(f"not an address: {text!r}; write HOST:PORT", where=option)
    if protocol not in ("", "tls"):
        raise UserError(f"unknown protocol: {protocol}; write HOST:PORT", where=option)
    if certificates is None and not address.loopback:
        raise UserError(
            f"{address.host}: other machines reach this address, and workers run programs for "
            "clients; make certificates (whyfast fleet certificates FOLDER), copy the folder to "
            "every host, and give --certificates FOLDER",
            where=option,
        )
    return address


def security_of(certificates: Path | None) -> Security:
    """The certificates for Dask; None: this user's own, for loopback. UserError when a file is
    missing, or others may read the key."""
    if certificates is None:
        certificates = own_certificates()
    files = [certificates / CERTIFICATE, certificates / KEY]
    for file in files:
        if not file.is_file():
            raise UserError("missing; make it with whyfast fleet certificates FOLDER", where=file)
    if files[1].stat().st_mode & 0o077:
        raise UserError("readable by others; run chmod 600 on it", where=files[1])
    certificate, key = map(str, files)
    return Security(
        require_encryption=True,
        tls_ca_file=certificate,
        **{
            f"tls_{who}_{what}": file
            for who in ("client", "scheduler", "worker")
            for what, file in (("cert", certificate), ("key", key))
        },
    )


#: The classes that results and errors are unpickled as; answers are parsed elsewhere.
BYTES = frozenset({("builtins", "bytes"), ("builtins", "bytearray")})

_WRITE = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

#: Events with these prefixes change files or start programs, but for those that an import raises,
#: and the signal by which a process ends itself.
_CHANGE = ("os.", "shutil.", "subprocess.", "pty.", "tempfile.")
_HARMLESS = frozenset({"os.listdir", "os.scandir", "os.kill"})


class RefusedPickle(TypeError):
    """A pickle tried to import something. (For a traceback that cannot be unpickled, Dask ignores
    TypeErrors only.)"""


def seal(classes: Iterable[tuple[str, str]] = BYTES) -> None:
    """From now on, as long as this process lives, no pickle finds anything but ``classes`` (module,
    name), whatever unpickles it; changing a file or starting a program is a PermissionError.
    CPython raises an audit event before each of these, and an audit hook cannot be removed."""
    allowed = frozenset(classes)

    def hear(event: str, args: tuple[object, ...]) -> None:
        if event == "pickle.find_class":
            if args not in allowed:
                raise RefusedPickle(f"{args[0]}.{args[1]} in a message is not unpickled")
        elif event == "open":
            if isinstance(args[2], int) and args[2] & _WRITE:
                raise PermissionError(errno.EPERM, "not opened for writing here", str(args[0]))
        elif event.startswith(_CHANGE) and event not in _HARMLESS:
            raise PermissionError(errno.EPERM, f"{event} is not done here")

    sys.addaudithook(hear)


def silence() -> None:
    """Stop the logging of Dask and Tornado in this process."""
    for name in ("distributed", *logging.root.manager.loggerDict):
        if name.split(".")[0] in ("distributed", "tornado"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
