"""Who may take part, and who may listen: versions, kinds of machine, addresses, certificates."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.fleet.cluster import most_common_kind, unfit
from whyfast.fleet.messages import HostFacts
from whyfast.fleet.security import make_certificates
from whyfast.model.errors import UserError

pytest.importorskip("distributed")

from whyfast.fleet.security import read_address, security_of

OWN = HostFacts({"cpu_model": "Xeon"}, {}, (0,), "x86_64", "glibc 2.36", "0.1.0", "3.11.7")


@pytest.mark.parametrize(
    "other",
    [
        replace(OWN, python="3.11.2", libc="glibc 2.41"),
        replace(OWN, whyfast="0.2.0"),
        replace(OWN, python="3.12.1"),
        replace(OWN, architecture="aarch64"),
        replace(OWN, libc="glibc 2.9"),
        replace(OWN, libc=""),
    ],
)
def test_a_host_fits_or_is_told_why_not(other: HostFacts, golden: Hear) -> None:
    golden(unfit(other, OWN))


def test_the_kind_of_most_hosts() -> None:
    zen = replace(OWN, environment={"cpu_model": "Zen"})
    assert most_common_kind({"a": OWN, "b": zen, "c": zen})[1] == "Zen"
    assert most_common_kind({"b": zen, "a": OWN})[1] == "Xeon"


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:8786", "tls://127.0.0.1:8786"),
        ("tls://localhost:1", "tls://localhost:1"),
        ("[::1]:8786", "tls://[::1]:8786"),
    ],
)
def test_loopback_needs_no_certificates(text: str, address: str) -> None:
    found = read_address(text, None, "--scheduler")
    assert str(found) == address
    assert found.loopback


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("8786", "8786"),
        ("host:x", "HOST:PORT"),
        ("host:99999", "HOST:PORT"),
        ("ucx://127.0.0.1:1", "ucx"),
        ("tcp://127.0.0.1:1", "tcp"),
        ("192.0.2.1:8786", "192.0.2.1: other machines reach"),
        ("0.0.0.0:8786", "0.0.0.0: other machines reach"),
        ("tls://example.org:8786", "example.org: other machines reach"),
    ],
)
def test_another_machine_wants_certificates(text: str, said: str) -> None:
    with pytest.raises(UserError, match="--scheduler: ") as raised:
        read_address(text, None, "--scheduler")
    assert said in str(raised.value)


def test_with_certificates_everything_is_encrypted(tmp_path: Path) -> None:
    assert str(read_address("192.0.2.1:8786", tmp_path, "ADDRESS")) == "tls://192.0.2.1:8786"
    assert str(read_address("127.0.0.1:8786", tmp_path, "ADDRESS")) == "tls://127.0.0.1:8786"


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_certificates_are_made_once_and_for_their_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "fleet"
    certificate, key = make_certificates(folder, 30)
    assert certificate.read_text().startswith("-----BEGIN CERTIFICATE-----")
    assert key.stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    assert security_of(folder).require_encryption
    with pytest.raises(UserError, match="exists already"):
        make_certificates(folder, 30)
    key.chmod(0o640)
    with pytest.raises(UserError, match="chmod 600"):
        security_of(folder)
    certificate.unlink()
    with pytest.raises(UserError, match=r"fleet\.pem: missing"):
        security_of(folder)


def test_certificates_hold_for_a_number_of_days(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="--days 0: "):
        make_certificates(tmp_path, 0)
