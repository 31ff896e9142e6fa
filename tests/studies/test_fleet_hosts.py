"""Workers that are started by ssh, which here is a shell on this machine; once a real one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.studies.fleet_processes import FleetProcesses, free_port
from tests.studies.known_study import steps, write_study
from tests.unit.measure.conftest import ends

from whyfast.report.result_json import load_result

pytest.importorskip("distributed")

#: Takes down its process, which becomes the worker's, and does as ssh does.
SHELL = """ssh = ["sh", "-c", 'echo $$ >> "{pids}"; exec sh -c "$1"']"""


def hosts_file(folder: Path, ssh: str, *hosts: str, more: str = "") -> Path:
    """Each with a home of its own, and under this Python."""
    python, here = sys.executable, Path(__file__).parents[2] / "src"
    tables = "\n".join(
        f'[host.{host}]\nssh = "localhost"\nhome = "{folder / host}"\n{more}\n'
        f'whyfast = ["env", "PYTHONPATH={here}", "{python}", "-m", "whyfast"]'
        for host in hosts
    )
    for host in hosts:
        (folder / host).mkdir(mode=0o700)
    file = folder / "hosts.toml"
    file.write_text(f'listen = "127.0.0.1:0"\n{ssh}\n{tables}\n')
    return file


def test_workers_end_also_when_the_coordinator_is_killed(
    fleet: FleetProcesses, tmp_path: Path
) -> None:
    measure = 'budget = "20m"\nstop = "budget"\nturns = 2'
    study = write_study(
        tmp_path / "spin", {"base": steps(100), "slow": steps(200)}, measure=measure
    )
    pids = tmp_path / "pids"
    hosts = hosts_file(tmp_path, SHELL.format(pids=pids), "ash")
    with hosts.open("a") as more:
        more.write(
            '[host.gone]\nssh = "x"\nwhyfast = ["sh", "-c", "echo no route >&2; exit 255"]\n'
        )
    fleet.start("here", "run", str(study), "--hosts", str(hosts))
    fleet.until(lambda: len(fleet.blocks()) > 2, "blocks are taken")
    assert "gone: sh ended (exit code 255): no route; starting it again in 1 s" in fleet.said(
        "here"
    )
    workers = [int(pid) for pid in pids.read_text().split()]
    fleet.kill("here")
    assert all(map(ends, workers))


@pytest.mark.long
def test_by_a_real_ssh(fleet: FleetProcesses, tmp_path: Path) -> None:
    sshd = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")
    if sshd is None or shutil.which("ssh") is None:
        pytest.skip("needs sshd and ssh: apt-get install openssh-server")
    port = free_port()
    for key in ("host", "own"):
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / key)]
        subprocess.run(words, check=True)
    (tmp_path / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {tmp_path}/host\n"
        f"AuthorizedKeysFile {tmp_path}/own.pub\nStrictModes no\nPidFile none\nUsePAM no\n"
    )
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # where it locks itself in
    with (tmp_path / "sshd.log").open("wb") as log:
        words = [sshd, "-D", "-e", "-f", str(tmp_path / "sshd_config")]
        fleet.running["sshd"] = subprocess.Popen(words, stderr=log)
    fleet.until(lambda: "listening" in (tmp_path / "sshd.log").read_text(), "sshd listens")
    options = [
        *("-i", str(tmp_path / "own"), "-p", str(port), "-F", "none"),
        *("-o", "StrictHostKeyChecking=no", "-o", f"UserKnownHostsFile={tmp_path}/known"),
    ]
    study = write_study(
        tmp_path / "spin",
        {"base": steps(10000), "slow": steps(20000)},
        measure='budget = "5m"\nturns = 4',
    )
    given = ", ".join(f'"{word}"' for word in options)
    hosts = hosts_file(tmp_path, "", "ash", "elm", more=f"options = [{given}]")
    out = tmp_path / "result.json"
    words = ["run", str(study), "--hosts", str(hosts), "--spread", "shard", "--json", str(out)]
    fleet.start("here", *words)
    assert fleet.ended("here") == 0, fleet.said("here")
    assert {v.outcome for v in load_result(out).judged.verdicts} == {"slower"}
