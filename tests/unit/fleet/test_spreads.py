"""A study on a fleet, with a cluster that is a double and hosts that are doubles."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from tests.unit.build.example import study as example
from tests.unit.build.example import write_source
from tests.unit.fleet.stand_in import Builder, Faults, StandIn, at, dies
from tests.unit.investigate.doubles import Watcher, World, own, ratios

from whyfast.fleet.cluster import Event
from whyfast.fleet.replicate import Sharded, deal, replicate
from whyfast.fleet.worker import HostAnswers
from whyfast.investigate.study_run import run_study
from whyfast.model.errors import UserError
from whyfast.model.result import OneResult, Result
from whyfast.model.sample import Block
from whyfast.model.study import MeasureSpec, Study
from whyfast.model.variant import Benchmark, Variant
from whyfast.store.samples import SampleStore

HOSTS = ("ash", "elm", "oak")
TIMES = {"a": 1.0, "b": 1.1, "c": 0.9}


def no_faults(host: str, kind: str, before: int) -> None:
    return None


class Fleet:
    """A study, a coordinator's home, and three hosts that are started anew with each run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.watcher = Watcher()
        self.world = Builder(script=ratios(TIMES))
        self.hosts = {name: World(script=ratios(TIMES)) for name in HOSTS}
        self.outsides: dict[str, Any] = {}

    def study(self, benchmarks: Sequence[str] = ("fib", "sum", "sort")) -> Study:
        variants = tuple(Variant(n, "path:cc", cflags=(f"-D{n}",)) for n in TIMES)
        return replace(
            example(write_source(self.folder)),
            baselines=("a",),
            variants=variants,
            benchmarks=tuple(
                Benchmark(name, "command", ("{program}", name)) for name in benchmarks
            ),
            measure=MeasureSpec(budget=3000.0, turns=2),
        )

    def cluster(self, faults: Faults = no_faults) -> StandIn:
        return StandIn(self.world, self.folder, self.hosts, faults, self.outsides)

    def shard(self, faults: Faults = no_faults, cluster: StandIn | None = None) -> Result:
        self.watcher.heard.clear()
        self.used = cluster or self.cluster(faults)
        return run_study(
            self.study(),
            own(self.folder),
            self.watcher,
            services=self.world.services(),
            elsewhere=Sharded(self.used),
        )

    def replicate(self, faults: Faults = no_faults) -> dict[str, Result]:
        self.watcher.heard.clear()
        self.used = self.cluster(faults)
        found: Sequence[OneResult] = replicate(
            *(self.study(), own(self.folder), self.watcher, self.used),
            services=self.world.services(),
        )
        return {run.where: run.result for run in found}

    def stored(self) -> list[Block]:
        store = SampleStore(own(self.folder).database)
        try:
            return [b for run in store.runs() for b in store.blocks(run.id)]
        finally:
            store.close()


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    return Fleet(tmp_path)


def hosts_of(result: Result) -> dict[str, set[str]]:
    """The hosts that the counted blocks of each benchmark came from."""
    host = {s.id: str(s.environment["machine"]) for s in result.recorded.sessions}
    found: dict[str, set[str]] = {}
    for block in result.recorded.blocks:
        found.setdefault(block.benchmark, set()).add(host[block.session])
    return found


def words(result: Result) -> set[tuple[str, str, str]]:
    return {(v.benchmark or "", v.variant, v.outcome) for v in result.judged.verdicts}


def indices(blocks: Sequence[Block]) -> dict[str, list[int]]:
    """The numbers of the blocks of each benchmark."""
    ordered = sorted(blocks, key=lambda b: (b.benchmark, b.index))
    return {name: [b.index for b in of] for name, of in groupby(ordered, lambda b: b.benchmark)}


def whole(blocks: Sequence[Block]) -> bool:
    """No block is missing between others, and each has all its values."""
    return all(found == list(range(len(found))) for found in indices(blocks).values()) and all(
        {len(v) for v in b.values.values()} == {len(b.order)} for b in blocks
    )


def test_shards_of_a_study_say_what_one_machine_says(fleet: Fleet, tmp_path: Path) -> None:
    here = run_study(
        fleet.study(), own(tmp_path / "alone"), Watcher(), services=fleet.world.services()
    )
    result = fleet.shard()
    assert words(result) == words(here)
    assert result.recorded.complete
    assert hosts_of(result) == {"fib": {"ash"}, "sum": {"elm"}, "sort": {"oak"}}
    assert whole(result.recorded.blocks)
    assert fleet.stored() == list(result.recorded.blocks)
    assert [c.kind for c in result.judged.confounds if "machine" in c.kind] == []
    assert any("ash (1); elm (1); oak (1)" in c.text for c in result.judged.confounds)


def test_every_host_has_a_run_of_its_own_when_replicating(fleet: Fleet) -> None:
    fleet.hosts["oak"] = World(script=ratios({"a": 1.0, "b": 0.8, "c": 0.9}))
    results = fleet.replicate()
    assert set(results) == set(HOSTS)
    said = {
        (host, v.outcome)
        for host, r in results.items()
        for v in r.judged.verdicts
        if v.variant == "b"
    }
    assert said == {("ash", "slower"), ("elm", "slower"), ("oak", "faster")}
    for host, result in results.items():
        assert result.recorded.complete
        assert hosts_of(result) == {name: {host} for name in ("fib", "sum", "sort")}
        assert whole(result.recorded.blocks)
    assert len({r.recorded.run for r in results.values()}) == 3


def test_many_hosts_together_and_each_alone(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    few = {host: words(result) for host, result in fleet.replicate().items()}
    monkeypatch.setattr("whyfast.fleet.replicate.MANY", 2)
    many = fleet.replicate()
    assert {host: words(result) for host, result in many.items()} == few
    for result in many.values():
        blocks = [b for b in result.recorded.blocks if b.benchmark == "fib"]
        assert 9 <= len(blocks) <= 16  # all is decided at the first look, and ends soon after


def test_what_hosts_answered_is_on_disk_before_any_of_them_is_asked_for_more(fleet: Fleet) -> None:
    heard, told, stored = [0], [0], [0]

    class Looking(StandIn):
        def hand(self, host: str, task: bytes, data: bytes = b"") -> None:
            super().hand(host, task, data)
            if heard[0] and len(told) < 30:
                told.append(heard[0])
                stored.append(len(fleet.stored()))

        def next(self, timeout: float) -> Event | None:
            event = super().next(timeout)
            if event is not None and event.kind == "answered":
                heard[0] += b'"kind":"block"' in bytes(event.answer)  # type: ignore[call-overload]
            return event

    fleet.shard(cluster=Looking(fleet.world, fleet.folder, fleet.hosts))
    assert stored == told
    assert 3 < len(set(told)) < 15  # of several hosts at once


def test_programs_are_sent_once_and_blocks_after_that(fleet: Fleet) -> None:
    fleet.shard()
    kinds = [kind for host, kind in fleet.used.log if host == "ash"]
    assert kinds[:2] == ["survey", "survey"]
    assert kinds[2:7] == ["offer", "chunk", "chunk", "chunk", "prepare"]
    assert kinds[7:9] == ["calibrate", "block"]
    assert kinds[-1] == "survey"
    assert (own(fleet.folder / "ash").data / "measuring.lock").exists()  # it measures alone
    fleet.shard()
    assert "chunk" not in [kind for _, kind in fleet.used.log]


def test_a_host_that_dies_in_a_block_takes_the_same_block_when_it_is_back(fleet: Fleet) -> None:
    result = fleet.shard(dies("elm", "block", 3))
    assert result.recorded.complete
    assert whole(result.recorded.blocks)
    assert hosts_of(result)["sum"] == {"elm"}
    assert len({b.session for b in result.recorded.blocks if b.benchmark == "sum"}) == 2
    assert "elm: the connection is lost" in fleet.watcher.heard


def test_a_host_that_stays_away_loses_its_benchmarks_to_one_that_is_done(fleet: Fleet) -> None:
    result = fleet.shard(dies("elm", "block", 3, back=False))
    assert result.recorded.complete
    (host,) = hosts_of(result)["sum"]
    assert host in ("ash", "oak")
    assert f"elm: sum begins afresh on {host}" in fleet.watcher.heard
    lost = [b for b in fleet.stored() if b.benchmark == "sum" and b not in result.recorded.blocks]
    assert [b.index for b in lost] == [0, 1, 2]
    assert indices(result.recorded.blocks)["sum"][0] == 3
    assert all(v.blocks >= 6 for v in result.judged.verdicts)


def test_a_host_with_a_full_disk_is_left_out(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: object, sha256: str, *rest: object) -> None:
        if "elm" in str(self.home.cache):  # type: ignore[attr-defined]
            raise OSError(28, "No space left on device", f"/home/elm/{sha256[:4]}")
        add(self, sha256, *rest)

    from whyfast.fleet.transfer import ReceivedArchives

    add: Callable[..., None] = ReceivedArchives.add
    monkeypatch.setattr(ReceivedArchives, "add", full)
    result = fleet.shard()
    assert result.recorded.complete
    assert hosts_of(result)["sum"] != {"elm"}
    (said,) = [h for h in fleet.watcher.heard if "No space left" in h]
    assert said.startswith("elm: cannot measure: /home/elm/")


def test_replicating_without_a_host_says_which_run_is_incomplete(fleet: Fleet) -> None:
    results = fleet.replicate(dies("elm", "block", 3, back=False))
    assert [host for host, r in results.items() if not r.recorded.complete] == ["elm"]
    again = fleet.replicate()
    assert all(r.recorded.complete for r in again.values())
    runs = [{host: r.recorded.run for host, r in each.items()} for each in (results, again)]
    assert runs[0] == runs[1]
    assert whole(again["elm"].recorded.blocks)
    assert len(again["ash"].recorded.blocks) == len(results["ash"].recorded.blocks)


def test_interrupted_it_goes_on_with_every_benchmark_where_it_was(fleet: Fleet) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    first = fleet.shard(at("oak", "block", 2, interrupt))
    assert not first.recorded.complete
    before = hosts_of(first)
    kept = len(first.recorded.blocks)
    assert kept > 3
    second = fleet.shard()
    assert second.recorded.complete
    assert f"resuming: {kept} blocks are already taken" in fleet.watcher.heard
    assert hosts_of(second) == before
    assert whole(second.recorded.blocks)
    assert second.recorded.blocks[:kept] == first.recorded.blocks


def test_a_worker_that_was_started_anew_unseen_is_prepared_again(fleet: Fleet) -> None:
    result = fleet.shard(at("ash", "block", 2, lambda: fleet.used.start("ash")))
    assert result.recorded.complete
    assert whole(result.recorded.blocks)
    assert [kind for host, kind in fleet.used.log if host == "ash"].count("prepare") == 2


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda block: {**block, "seed": block["seed"] + 1}, "unexpected answer"),
        (lambda block: {**block, "index": 0}, "unexpected answer"),
        (lambda block: {**block, "benchmark": "fib"}, "unexpected answer"),
        (lambda block: {**block, "values": {"a": [1.0]}}, "unexpected answer"),
        (lambda block: {**block, "cpu": "x' OR 1"}, "unreadable answer: cpu"),
        (lambda block: {**block, "seconds": None}, "unreadable answer: seconds"),
    ],
)
def test_an_answer_that_is_not_what_was_asked_is_not_kept(
    fleet: Fleet, spoil: Callable[[Any], Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = HostAnswers.answer

    def spoilt(self: HostAnswers, task: bytes, data: bytes = b"") -> bytes:
        text = answer(self, task, data)
        block = json.loads(text)
        if block["kind"] != "block" or block["benchmark"] != "sum" or block["index"] < 2:
            return text
        if self is not fleet.used.answers["elm"]:
            return text
        return json.dumps(spoil(block)).encode()

    monkeypatch.setattr(HostAnswers, "answer", spoilt)
    result = fleet.shard()
    assert any(said in heard for heard in fleet.watcher.heard)
    assert hosts_of(result)["sum"] != {"elm"}
    assert result.recorded.complete


def test_bytes_that_are_no_json_put_a_host_out(fleet: Fleet) -> None:
    events = [Event("answered", "oak", answer=b"\x80\x05."), Event("gone", "oak", "it was ended")]
    result = fleet.shard(at("oak", "block", 1, lambda: events))
    reason = "oak: cannot measure: unreadable answer: message: is not JSON"
    assert any(h.startswith(reason) for h in fleet.watcher.heard)
    assert result.recorded.complete


def test_another_version_is_left_out_at_once(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = HostAnswers.facts

    def old(self: HostAnswers) -> Any:
        found = facts(self)
        mine = fleet.used.answers.get("elm") is self
        return replace(found, whyfast="0.0.9") if mine else found

    monkeypatch.setattr(HostAnswers, "facts", old)
    result = fleet.shard()
    (said,) = [h for h in fleet.watcher.heard if h.startswith("elm: left out")]
    assert said.startswith("elm: left out: whyfast 0.0.9; expected 0.1.0")
    assert {kind for host, kind in fleet.used.log if host == "elm"} == {"survey"}
    assert set().union(*hosts_of(result).values()) == {"ash", "oak"}


def test_without_a_host_that_fits_nothing_is_measured(fleet: Fleet) -> None:
    fleet.hosts.clear()
    with pytest.raises(UserError, match="no usable worker"):
        fleet.shard()


def test_deal_keeps_what_a_host_had_and_evens_out_the_rest() -> None:
    assert deal(["a", "b", "c", "d", "e"], ["x", "y"], {"c": "y", "e": "gone"}) == {
        "x": ["a", "b"],
        "y": ["c", "d"],
        "gone": ["e"],
    }
