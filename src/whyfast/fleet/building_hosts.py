"""Hosts that prefetch builds: they make those that a search here is likely to need next."""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from whyfast.build.recipe import Recipe, SourceTree, hash_files
from whyfast.build.run import complete
from whyfast.build.source import unpack
from whyfast.explain.same_builds import machine_code
from whyfast.fleet import messages, transfer
from whyfast.fleet.cluster import Cluster, Event, kind_of
from whyfast.fleet.merging import same_environment
from whyfast.investigate.services import Note, Observer, Services
from whyfast.model.build import Build, BuildFailure, BuildOutcome
from whyfast.model.errors import UserError
from whyfast.store.builds import BuildStore
from whyfast.store.files import discard, exclusive, replacing, sha256_of
from whyfast.store.home import Home

#: Seconds after which a build that was not fetched is removed.
FORGOTTEN = 24 * 3600.0


class HostBuilds:
    """Builds made on one host, below ``cache/fleet/made`` of its home, apart from received ones."""

    def __init__(self, own: Home, services: Services, archives: transfer.ReceivedArchives) -> None:
        self._own, self._services, self._archives = own, services, archives
        self._store = BuildStore(archives.home.cache / "made")
        self._made: dict[str, tuple[transfer.Archive, str]] = {}

    def make(self, task: messages.MakeBuild) -> messages.Answer:
        """Build it, or find it in the store. Raises NotReceived, UserError or CannotBuildHere where
        this host cannot, and OSError."""
        recipe = self._recipe(task)
        # Not while this host measures.
        with exclusive(self._own.data / "measuring.lock"), self._store.in_use():
            self._store.remove_unused(FORGOTTEN)
            (built,) = self._services.build([recipe], self._store, lambda text: None, math.inf)
            if isinstance(built, BuildFailure):
                self._remove(recipe.digest)
                return messages.Refused(built.reason)
            folder = self._store.folder(recipe.digest)
            archive = transfer.pack(
                folder, self._archives.home.cache / "parcels", transfer.NOT_SENT
            )
        self._made[archive.sha256] = archive, recipe.digest
        return messages.FinishedBuild(
            archive.sha256, archive.size, code_of(folder / "work", recipe.program)
        )

    def send(self, task: messages.SendBack) -> messages.Answer:
        """The next bytes of a finished build, which is deleted with the last of them."""
        archive, digest = self._made.get(task.archive, (None, ""))
        if archive is None or not archive.file.is_file():
            return messages.Unprepared()
        data = archive.chunk(task.offset)
        if task.offset + len(data) >= archive.size:
            del self._made[task.archive]
            archive.file.unlink()
            self._remove(digest)
        return messages.SentBack(base64.b64encode(data).decode())

    def _remove(self, digest: str) -> None:
        with exclusive(self._store.lock(digest)):
            discard(self._store.folder(digest))

    def _recipe(self, task: messages.MakeBuild) -> Recipe:
        """The recipe with this host's own compiler, and the source where it lies here."""
        sent = task.recipe
        folder = self._archives.place(messages.Place(task.source, "tree", sent.variant))
        names = (str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
        source = hash_files(folder, names)
        if source.digest != sent.inputs["source"]:
            raise transfer.NotReceived("its source differs from the one that was sent")
        name = sent.toolchain.name
        installed = self._services.toolchain(name, self._own, lambda text: None, sent.packages)
        if installed.digest != sent.toolchain.digest:
            message = f"its {name} ({installed.version}) differs from the coordinator's"
            raise transfer.NotReceived(message)
        # The toolchain's own variables may hold paths of the other machine.
        env = {**installed.env, **sent.inputs["env"]}
        return replace(sent, source=source, toolchain=installed, env=env)


def code_of(folder: Path, program: str) -> Mapping[str, str]:
    """SHA-256 by name of the program that was built in ``folder`` and of its shared libraries;
    empty where the program is no machine code. Raises OSError."""
    files = machine_code(folder, Path(program)) or {}
    return {name: sha256_of(file) for name, file in files.items()}


#: Seconds between two looks for hosts, while waiting for a build elsewhere.
LOOK = 1.0

#: The most seconds that hosts may delay the coordinator's measuring, each time.
PATIENCE = 20.0

#: ``quick``: its task needs the coordinator; ``building``: it builds on its own; ``out``: left out.
_State = Literal["quick", "idle", "building", "out"]


@dataclass
class _Builder:
    """One host. ``proved``: it repeated a build of this machine; ``recipe``: its current one."""

    host: str
    state: _State = "quick"
    proved: bool = False
    job: transfer.HostTasks | None = None
    recipe: Recipe | None = None

    def makes(self, digest: str) -> bool:
        """Whether it builds or sends this build."""
        return self.recipe is not None and self.recipe.digest == digest


class BuildingHosts:
    """:attr:`Services.build` and :attr:`Services.build_ahead` for a search that measures here.
    Events of hosts are handled while one of the two runs, never while anything is measured.
    ``facts`` are those of this machine. Close it in the end."""

    def __init__(
        self,
        cluster: Cluster,
        home: Home,
        services: Services,
        facts: messages.HostFacts,
        observer: Observer,
    ) -> None:
        self._cluster, self._services, self._observer = cluster, services, observer
        self._facts = facts
        self._received = transfer.ReceivedArchives(home)
        self._builders: dict[str, _Builder] = {}
        self._sources: dict[str, transfer.Archive] = {}
        self._failed: set[str] = set()
        self._proof: tuple[Recipe, Mapping[str, str]] | None = None

    def services(self) -> Services:
        """The services of a search."""
        return replace(self._services, build=self.build, build_ahead=self.ahead)

    def close(self) -> None:
        """Delete the archives kept for sending. Hosts finish their builds."""
        for archive in self._sources.values():
            archive.file.unlink(missing_ok=True)
        self._sources = {}

    def build(
        self, recipes: Sequence[Recipe], store: BuildStore, note: Note, seconds: float
    ) -> Sequence[BuildOutcome]:
        """Get these builds: from hosts that have or make them, else made here, in that time."""
        for recipe in recipes:
            if store.find(recipe.digest) is None:
                self._await(recipe, store)
        outcomes = self._services.build(recipes, store, note, seconds)
        for recipe, outcome in zip(recipes, outcomes, strict=True):
            if self._proof is None and isinstance(outcome, Build) and _sendable(recipe):
                code = code_of(store.folder(outcome.digest) / "work", recipe.program)
                if code and "built_on" not in outcome.provenance:
                    self._proof = (recipe, code)
        return outcomes

    def ahead(self, recipes: Iterable[Recipe], store: BuildStore) -> None:
        """Give these, the likeliest first, to hosts that have nothing to do."""
        wanted = iter(recipes)
        began = self._services.clock.monotonic()
        self._handle_waiting()
        while True:
            self._hand_out(wanted, store)
            late = self._services.clock.monotonic() - began >= PATIENCE
            if late or all(b.state != "quick" for b in self._builders.values()):
                return
            self._handle(self._cluster.next(LOOK))

    def _handle_waiting(self) -> None:
        while (event := self._cluster.next(0.0)) is not None:
            self._handle(event)

    def _hand_out(self, wanted: Iterator[Recipe], store: BuildStore) -> None:
        if self._proof is None:
            return  # no build yet that a host could repeat
        for builder in self._builders.values():
            if builder.state != "idle":
                continue
            recipe = self._next(wanted, store) if builder.proved else self._proof[0]
            if recipe is None:
                return
            builder.recipe = recipe
            builder.job = self._build(builder, recipe, store) if builder.proved else self._prove()
            self._go_on(builder, None)

    def _next(self, wanted: Iterator[Recipe], store: BuildStore) -> Recipe | None:
        """The first that is not built, being built or failed anywhere."""
        taken = self._failed | {b.recipe.digest for b in self._builders.values() if b.recipe}
        for recipe in wanted:
            digest = recipe.digest
            if digest not in taken and _sendable(recipe) and store.find(digest) is None:
                return recipe
        return None

    def _prove(self) -> transfer.HostTasks:
        assert self._proof is not None
        recipe, code = self._proof
        made = yield from self._make(recipe)
        if isinstance(made, messages.Refused):
            raise transfer.HostOut(f"it cannot build {recipe.variant}: {made.message}")
        if made.code != code:
            raise transfer.HostOut(
                f"its program of {recipe.variant} differs from the one built here"
            )

    def _build(self, builder: _Builder, recipe: Recipe, store: BuildStore) -> transfer.HostTasks:
        """Have a host build, and put the build into the store."""
        made = yield from self._make(recipe)
        if isinstance(made, messages.Refused):
            self._failed.add(recipe.digest)  # it is built here, where its log is wanted
            return
        offset = 0
        while offset < made.size:
            answer = transfer.expect(
                (yield messages.SendBack(made.archive, offset), b""), messages.SentBack
            )
            try:
                data = base64.b64decode(answer.data, validate=True)
            except binascii.Error as error:
                raise transfer.HostOut(f"unexpected answer: {error}") from error
            if not data:
                raise transfer.HostOut("unexpected answer: no bytes of its build")
            self._received.add(made.archive, offset, made.size, data)
            offset += len(data)
        self._store_build(made, recipe, store, builder.host)

    def _make(
        self, recipe: Recipe
    ) -> Generator[
        tuple[messages.Task, bytes], messages.Answer, messages.FinishedBuild | messages.Refused
    ]:
        digest = recipe.source.digest
        if digest not in self._sources:
            into = self._received.home.cache / "parcels"
            self._sources[digest] = transfer.pack_files(
                recipe.source.folder, sorted(recipe.source.files), into
            )
        source = self._sources[digest]
        place = messages.Place(source.sha256, "tree", recipe.variant)
        yield from transfer.deliver_archives((place,), {source.sha256: source})
        sent = replace(recipe, source=SourceTree(recipe.source.folder))
        answer = yield messages.MakeBuild(sent, source.sha256), b""
        return (
            answer
            if isinstance(answer, messages.Refused)
            else transfer.expect(answer, messages.FinishedBuild)
        )

    def _await(self, recipe: Recipe, store: BuildStore) -> None:
        self._handle_waiting()
        for builder in [b for b in self._builders.values() if b.makes(recipe.digest)]:
            self._observer.step(f"{builder.host} is building {recipe.variant}")
            while builder.makes(recipe.digest):
                self._handle(self._cluster.next(LOOK))

    def _store_build(
        self, made: messages.FinishedBuild, recipe: Recipe, store: BuildStore, host: str
    ) -> None:
        """Unpack it into the store; HostOut unless it is the requested build."""
        file = self._received.whole(made.archive)
        folder = store.folder(recipe.digest)
        try:
            with exclusive(store.lock(recipe.digest)), replacing(folder) as work:
                new = work / "made"
                unpack(file, new)
                provenance = _record(new, recipe)
                if provenance is None or code_of(new / "work", recipe.program) != made.code:
                    raise transfer.HostOut("it sent another build than requested")
                complete(new, {**provenance, "built_on": host})
        except UserError as error:
            raise transfer.HostOut(f"its archive: {error.message}") from error
        finally:
            file.unlink(missing_ok=True)

    def _handle(self, event: Event | None) -> None:
        if event is None:
            return
        builder = self._builders.get(event.host)
        if event.kind == "joined":
            builder = self._builders[event.host] = _Builder(event.host)
            builder.job = self._check_facts()
            self._go_on(builder, None)
        elif builder is None or builder.state == "out":
            return
        elif event.kind == "gone":
            del self._builders[event.host]
            builder.recipe = None
            self._observer.note(f"{event.host}: {event.why}")
        elif event.kind == "answered":
            self._go_on(builder, event.answer)
        else:
            self._leave_out(builder, event.why)

    def _check_facts(self) -> transfer.HostTasks:
        facts, here = (yield from transfer.ask_facts(self._facts)), self._facts
        if kind_of(facts) != kind_of(here):
            kinds = " ".join(kind_of(facts)), " ".join(kind_of(here))
            raise transfer.HostOut(f"another kind of machine ({kinds[0]}) than this ({kinds[1]})")
        if same_environment(facts.environment, here.environment):
            raise transfer.HostOut(
                "it is this machine, which measures; if not, set WHYFAST_MACHINE there"
            )

    def _go_on(self, builder: _Builder, data: object) -> None:
        assert builder.job is not None
        try:
            task, more = transfer.next_task(builder.job, data, builder.state == "building")
        except StopIteration:
            self._finish(builder)
        except (transfer.HostOut, transfer.NotReceived) as out:
            self._leave_out(builder, str(out))
        except OSError as error:
            self._leave_out(builder, f"{error.filename or ''}: {error.strerror}")
        else:
            builder.state = "building" if isinstance(task, messages.MakeBuild) else "quick"
            self._cluster.hand(builder.host, messages.write(task), more)

    def _finish(self, builder: _Builder) -> None:
        if builder.recipe is not None and not builder.proved:
            builder.proved = True
            self._observer.note(
                f"{builder.host} makes the same build as this machine, and builds ahead"
            )
        builder.recipe, builder.job, builder.state = None, None, "idle"
        used = {b.recipe.source.digest for b in self._builders.values() if b.recipe}
        if self._proof is not None:
            used.add(self._proof[0].source.digest)
        for digest in set(self._sources) - used:
            self._sources.pop(digest).file.unlink(missing_ok=True)

    def _leave_out(self, builder: _Builder, why: str) -> None:
        builder.state, builder.job, builder.recipe = "out", None, None
        self._observer.note(f"{builder.host}: builds nothing: {why}")


def _sendable(recipe: Recipe) -> bool:
    """Whether it needs nothing of this machine alone: an interpreter or hidden variables."""
    return recipe.interpreter is None and not recipe.hidden


def _record(folder: Path, recipe: Recipe) -> dict[str, Any] | None:
    """The provenance that came with a build; None unless it is that of the recipe."""
    try:
        record = json.loads((folder / "provenance.json").read_text())
        program = sha256_of(folder / "work" / recipe.program)
        same = (record["digest"], record["inputs"]) == (recipe.digest, recipe.inputs)
        return record if same and record["program_sha256"] == program else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
