"""Hosts that build ahead, in one process: real builds in homes of their own, no network."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.build.example import COMPILE, recipe, write_source
from tests.unit.build.example import gcc as compiler
from tests.unit.fleet.stand_in import Faults, StandIn, Watcher, dies
from tests.unit.investigate.doubles import World, own

from whyfast.build.recipe import Recipe
from whyfast.build.run import build_all
from whyfast.fleet.building_hosts import BuildingHosts
from whyfast.fleet.worker import HostAnswers
from whyfast.model.build import Build, BuildOutcome, Toolchain
from whyfast.model.variant import Variant
from whyfast.store.builds import BuildStore


@dataclass
class Machine(World):
    """Builds for real, with a compiler of its own if need be; ``name`` is its user's."""

    name: str = ""
    compiler: Toolchain = field(default_factory=compiler)

    def toolchain(self, *asked: Any) -> Toolchain:
        return self.compiler

    def build(
        self, recipes: Sequence[Recipe], store: BuildStore, *given: Any
    ) -> list[BuildOutcome]:
        self.built += [r.variant for r in recipes if store.find(r.digest) is None]
        return list(build_all(recipes, store, *given))


class Fleet:
    """A coordinator, and the hosts ``ash`` and ``elm``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.here = Machine()
        self.hosts = {name: Machine(name=name) for name in ("ash", "elm")}
        self.watcher = Watcher()
        self.store = BuildStore(own(folder).builds)
        self.source = write_source(folder)
        self.builds: dict[str, HostAnswers] = {}

    def start(self, faults: Faults = lambda host, kind, before: None) -> BuildingHosts:
        worlds: dict[str, World] = dict(self.hosts)
        self.cluster = StandIn(self.here, self.folder, worlds, faults)
        for host, machine in self.hosts.items():
            self.builds[host] = self.cluster.answers[host]
            self.cluster.answers[host] = Named(self.builds[host], machine.name)
        services, home = self.here.services(), own(self.folder)
        facts = HostAnswers(home, services).facts()
        return BuildingHosts(self.cluster, home, services, facts, self.watcher)

    def recipe(self, name: str) -> Recipe:
        variant = Variant(name, "path:gcc", cflags=(f'-DTEXT="{name}"',))
        return recipe(self.source, steps=COMPILE, variant=variant, compiler=compiler())

    def ahead(self, hosts: BuildingHosts, *recipes: Recipe) -> None:
        """Between some blocks of measuring, long enough for every build."""
        for _ in range(2 + len(recipes)):
            hosts.ahead(recipes, self.store)

    def build(self, hosts: BuildingHosts, name: str) -> Build:
        (built,) = hosts.build([self.recipe(name)], self.store, self.watcher.note, 600.0)
        assert isinstance(built, Build)
        return built


class Named(HostAnswers):
    """A host that says a name of its machine."""

    def __init__(self, answers: HostAnswers, name: str) -> None:
        self._answers, self._name = answers, name

    def answer(self, task: bytes, data: bytes = b"") -> bytes:
        said = json.loads(self._answers.answer(task, data))
        if said["kind"] == "facts":
            said["environment"]["machine"] = self._name
        return json.dumps(said).encode()


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    return Fleet(tmp_path)


def test_a_host_that_makes_the_same_builds_ahead_what_is_then_found_here(fleet: Fleet) -> None:
    hosts = fleet.start()
    fleet.build(hosts, "good")
    fleet.here.built.clear()
    fleet.ahead(hosts, fleet.recipe("a"), fleet.recipe("b"))
    made = {name: fleet.build(hosts, name) for name in "ab"}
    assert fleet.here.built == []
    assert {b.provenance["built_on"] for b in made.values()} == {"ash", "elm"}
    assert fleet.hosts["ash"].built[:1] == fleet.hosts["elm"].built[:1] == ["good"]
    text = made["a"].program.read_bytes()
    assert b"a" in text
    assert made["a"].program_sha256 != made["b"].program_sha256
    hosts.close()
    assert not list((own(fleet.folder).cache / "fleet" / "parcels").glob("*.tar"))


def test_nobody_builds_ahead_before_something_was_built_here(fleet: Fleet) -> None:
    hosts = fleet.start()
    fleet.ahead(hosts, fleet.recipe("a"))
    assert fleet.hosts["ash"].built == []


@pytest.mark.parametrize("kind", ["this machine", "another compiler", "another program"])
def test_a_host_that_builds_otherwise_is_left_out(fleet: Fleet, tmp_path: Path, kind: str) -> None:
    wrapper = tmp_path / "gcc"
    wrapper.write_text('#!/bin/sh\nexec gcc -DEXTRA -O2 "$@"\n')
    wrapper.chmod(0o755)
    machine, reason, built = {
        "this machine": (Machine(), "it is this machine, which measures", []),
        "another compiler": (
            Machine(name="ash", compiler=replace(compiler(), digest="other")),
            "it cannot build good: its path:gcc (gcc) differs from",
            [],
        ),
        "another program": (
            Machine(name="ash", compiler=replace(compiler(), cc=(str(wrapper),))),
            "its program of good differs from the one built here",
            ["good"],
        ),
    }[kind]
    fleet.hosts = {"ash": machine}
    hosts = fleet.start()
    fleet.build(hosts, "good")
    fleet.ahead(hosts, fleet.recipe("a"))
    fleet.build(hosts, "a")
    assert any(h.startswith(f"ash: builds nothing: {reason}") for h in fleet.watcher.heard)
    assert fleet.here.built == ["good", "a"]
    assert machine.built == built


def test_what_does_not_build_there_is_built_here(fleet: Fleet) -> None:
    del fleet.hosts["elm"]
    hosts = fleet.start()
    fleet.build(hosts, "good")
    wrong = Variant("wrong", "path:gcc", cflags=("-no-such-flag",))
    broken = recipe(fleet.source, steps=COMPILE, variant=wrong, compiler=compiler())
    fleet.ahead(hosts, broken, fleet.recipe("a"))
    (outcome,) = hosts.build([broken], fleet.store, fleet.watcher.note, 600.0)
    assert "no-such-flag" in str(getattr(outcome, "reason", ""))
    assert fleet.build(hosts, "a").provenance["built_on"] == "ash"
    assert fleet.here.built == ["good", "wrong"]


@pytest.mark.parametrize("back", [True, False])
def test_a_host_that_is_lost_while_it_builds_keeps_nobody_waiting(fleet: Fleet, back: bool) -> None:
    del fleet.hosts["elm"]
    hosts = fleet.start(dies("ash", "make", 1, back))
    fleet.build(hosts, "good")
    fleet.ahead(hosts, fleet.recipe("a"))
    assert fleet.build(hosts, "a").variant == "a"
    assert "ash: the connection is lost" in fleet.watcher.heard


def test_what_changed_on_the_way_is_left_out(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    del fleet.hosts["elm"]
    hosts = fleet.start()
    fleet.build(hosts, "good")
    made = fleet.hosts["ash"].build

    def spoilt(recipes: Sequence[Recipe], *given: Any) -> list[BuildOutcome]:
        built = made(recipes, *given)
        if recipes[0].variant != "good" and isinstance(built[0], Build):
            with built[0].program.open("ab") as program:
                program.write(b"more")
            os.utime(built[0].program, (0, 0))
        return built

    monkeypatch.setattr(
        fleet.builds["ash"]._builds,
        "_services",
        replace(fleet.hosts["ash"].services(), build=spoilt),
    )
    fleet.ahead(hosts, fleet.recipe("a"))
    built = fleet.build(hosts, "a")
    assert "built_on" not in built.provenance
    assert "ash: builds nothing: it sent another build than requested" in fleet.watcher.heard
