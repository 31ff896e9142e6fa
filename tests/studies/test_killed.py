"""SIGKILL at any moment loses at most the block in flight; the same command goes on."""

import json
import os
import random
import signal
import time
from pathlib import Path

from tests.studies.known_study import steps, write_study
from tests.studies.test_run import whyfast
from tests.warm_process import Command

from whyfast.store.home import Home
from whyfast.store.samples import SampleStore


def test_six_kills_lose_nothing_that_was_printed(own_home: Home, tmp_path: Path) -> None:
    study = write_study(
        tmp_path / "spin",
        {"base": steps(10000), "slow": steps(10500)},
        measure='budget = "4s"\nstop = "budget"\nturns = 60',
    )
    rng = random.Random(1)
    printed = 0
    for attempt in range(6):
        reader, writer = os.pipe()
        with open(reader) as lines:
            with open(writer, "wb") as end:
                process = Command([study], end, end, module="tests.studies.watched_run")
            # Every third time anywhere, building included; else while blocks are taken.
            said = lines.readline() if attempt % 3 else ""
            time.sleep(rng.uniform(0.0, 0.4))
            process.kill()
            process.wait()
            said += lines.read()
        assert "Traceback" not in said
        assert "done" not in said
        printed += said.count("block\n")
        if own_home.database.exists():
            store = SampleStore(own_home.database)
            runs = store.runs()
            kept = sum(len(store.blocks(r.id)) for r in runs)
            store.close()
            assert len(runs) <= 1
            assert kept >= printed
            printed = kept  # one may have been stored and not yet said
    assert printed > 0

    out = tmp_path / "result.json"
    done = whyfast("run", study, "--json", out)
    assert f"resuming: {printed} blocks" in done.stderr
    result = json.loads(out.read_text())["data"]
    assert len(result["recorded"]["blocks"]) > printed
    assert [b["index"] for b in result["recorded"]["blocks"]] == list(
        range(len(result["recorded"]["blocks"]))
    )
    assert len({b["session"] for b in result["recorded"]["blocks"]}) > 1
    assert result["judged"]["verdicts"][0]["outcome"] == "slower"


def test_interrupted_keeps_what_is_there_and_exits_130(own_home: Home, tmp_path: Path) -> None:
    study = write_study(
        tmp_path / "spin",
        {"base": steps(10000), "slow": steps(12000)},
        measure='budget = "20m"\nstop = "budget"',
    )
    files = tmp_path / "out", tmp_path / "err"
    with files[0].open("wb") as out_file, files[1].open("wb") as err_file:
        process = Command(["run", study], out_file, err_file)
    # Only a hang takes so long; a machine busy with other work may take many seconds for each.
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline and _blocks(own_home) < 12:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    code = process.wait(300)
    out, err = (file.read_text() for file in files)
    assert code == 130, err
    assert "The run is not complete. So far: slow is 1." in " ".join(out.split())
    assert "Traceback" not in err


def _blocks(home: Home) -> int:
    if not home.database.exists():
        return 0
    store = SampleStore(home.database)
    try:
        return sum(len(store.blocks(r.id)) for r in store.runs())
    finally:
        store.close()
