"""One certificate for a whole fleet, made by the openssl command.

Who has the folder is part of the fleet: coordinator, scheduler and workers show each other the same
certificate, and accept no other.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from whyfast.model.errors import UserError
from whyfast.store.complete import make_once, replacing
from whyfast.store.private import make_private, own_home

#: One certificate for all of a fleet, and its key.
CERTIFICATE, KEY = "fleet.pem", "fleet-key.pem"

#: Days that a certificate holds which never leaves its machine.
LONG = 3650


def make_certificates(folder: Path, days: int) -> tuple[Path, Path]:
    """The files of the certificate and its key, in a folder that is closed to others.

    UserError when there are some already, when openssl is missing or fails.
    """
    if days < 1:
        raise UserError("is no number of days", where=f"--days {days}")
    certificate, key = folder / CERTIFICATE, folder / KEY
    for file in (certificate, key):
        if file.exists():
            raise UserError("is there already; name another folder, or delete it", where=file)
    openssl = shutil.which("openssl")
    if openssl is None:
        raise UserError("certificates are made by the openssl command, which is not installed")
    make_private(folder)
    words = (
        *(openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"),
        *("-nodes", "-days", str(days), "-subj", "/CN=whyfast fleet"),
        *("-keyout", str(key), "-out", str(certificate)),
    )
    done = subprocess.run(words, capture_output=True, text=True, umask=0o077)
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["nothing"]
        raise UserError(f"openssl failed and said: {said[-1]}", where=folder)
    return certificate, key


def own_certificates() -> Path:
    """The folder with this user's own, by which only they talk to each other on loopback; made
    once in each home. UserError."""
    folder = own_home().data / "fleet" / "loopback"

    def make() -> None:
        with replacing(folder) as work:
            make_certificates(work / "made", LONG)

    folder.parent.mkdir(mode=0o700, exist_ok=True)
    make_once(folder, folder.is_dir, make, lambda: None)
    return folder
