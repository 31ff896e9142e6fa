"""A study on real workers over a real scheduler, as processes on this machine."""

import json
import signal
import time
from pathlib import Path

import pytest
from tests.studies.fleet_processes import FleetProcesses
from tests.studies.known_study import steps, write_study

from whyfast.report.result_json import load_result

pytest.importorskip("distributed")

#: Goes on until it is killed; what goes on with it ends as soon as all is decided.
ENDLESS = 'budget = "20m"\nstop = "budget"\nturns = 8'


def two_benchmarks(folder: Path) -> Path:
    """A study of which both benchmarks find one variant slower."""
    study = write_study(folder, {"base": steps(10000), "slow": steps(20000)}, measure=ENDLESS)
    file = study / "study.toml"
    text = file.read_text()
    at = text.index("[benchmarks.spin]")
    table = text[at : text.index("[measure]")].replace('"2s"', '"30s"')
    other = table.replace("[benchmarks.spin]", "[benchmarks.again]")
    file.write_text(text[:at] + table + other + text[text.index("[measure]") :])
    return study


def test_a_fleet_under_failures_loses_no_kept_block(fleet: FleetProcesses, tmp_path: Path) -> None:
    study = two_benchmarks(tmp_path / "spin")
    out = tmp_path / "result.json"
    words = ("run", str(study), *fleet.options(), "--spread", "shard")
    fleet.up("ash", "elm")
    fleet.worker("old", other_version=True)
    fleet.worker("big", small_files=True)
    fleet.ready("old", "big")
    fleet.start("here", *words, "--json", str(out))

    fleet.until(lambda: len({b.benchmark for b in fleet.blocks()}) == 2, "both are measured")
    fleet.kill("ash")
    fleet.send("elm", signal.SIGSTOP)
    # A busy machine may lose the connection first, and then says that.
    lost = ("its worker has gone", "the scheduler has gone", "the connection broke")
    fleet.until(lambda: any(f"ash: {why}" in fleet.said("here") for why in lost), "ash is lost")
    fleet.worker("ash")
    time.sleep(0.5)
    fleet.send("elm", signal.SIGCONT)
    before = len(fleet.blocks())
    fleet.until(lambda: len(fleet.blocks()) > before + 1, "it goes on")
    fleet.kill("here")
    kept = fleet.blocks()

    file = study / "study.toml"
    file.write_text(file.read_text().replace('stop = "budget"', 'stop = "decided"'))
    fleet.start("here", *words, "--json", str(out))
    assert fleet.ended("here") == 0, fleet.said("here")
    said = fleet.said("here")
    assert f"resuming: {len(kept)} blocks are already taken" in said
    assert "old: left out: whyfast 0.0.9; expected 0.1.0, as here" in said
    assert "big: cannot measure: " in said
    assert "File too large" in said
    result = load_result(out)
    blocks = result.recorded.blocks
    assert list(blocks[: len(kept)]) == kept
    assert {v.outcome for v in result.judged.verdicts} == {"slower"}
    host = {s.id: s.environment["machine"] for s in result.recorded.sessions}
    for name in ("spin", "again"):
        own = [b for b in blocks if b.benchmark == name]
        assert [b.index for b in own] == list(range(len(own)))
        assert all(len(b.values["slow"]) == len(b.values["base"]) == len(b.order) for b in own)
        assert len({host[b.session] for b in own}) == 1


@pytest.mark.long
def test_each_host_measures_all_and_stands_alone(fleet: FleetProcesses, tmp_path: Path) -> None:
    study = write_study(
        tmp_path / "spin",
        {"base": steps(10000), "slow": steps(20000)},
        measure='budget = "5m"\nturns = 4',
    )
    out = tmp_path / "machines.json"
    fleet.up("ash", "elm")
    fleet.start("here", "run", study, *fleet.options(), "--json", out)
    assert fleet.ended("here") == 0, fleet.said("here")
    merged = json.loads(out.read_text())["data"]
    assert [m["machine"]["name"] for m in merged["machines"]] == ["ash", "elm"]
    said = [v["outcome"] for m in merged["machines"] for v in m["result"]["judged"]["verdicts"]]
    assert said == ["slower", "slower"]
    assert "slow is slower than base on both machines" in fleet.said("here")
