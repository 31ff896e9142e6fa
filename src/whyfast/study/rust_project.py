"""A project of Rust: benchmarks by Criterion, divan or Rust itself, a binary, or its tests."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from whyfast.model.errors import UserError
from whyfast.study.library import rust_file, to_fill_in
from whyfast.study.project import (
    WHOLE,
    Project,
    needed,
    offline_comment,
    others,
    some_names,
    sources,
    text_of,
    wanted_first,
)
from whyfast.study.toml_table import parse_toml

#: The crates with which benchmarks time themselves, the runners' names.
_RUNNERS = "criterion", "divan"
#: The benchmarks of Rust's own library for tests, and the variable with which any compiler builds
#: them as if it were of the night.
_OWN, _NIGHTLY = "#[bench]", "RUSTC_BOOTSTRAP"


@dataclass(frozen=True)
class _Bench:
    """A target of benchmarks, of the package of a workspace if it is named, in that folder; with
    the option for features without which cargo does not build it. ``beside``: the package is of no
    workspace of this project."""

    name: str
    runner: str
    package: str = ""
    folder: str = ""
    features: str = ""
    beside: bool = False

    def __str__(self) -> str:
        return f"{self.package}/{self.name}" if self.package else self.name


def cargo(folder: Path) -> Project:
    """The first benchmark of the package that uses Criterion or divan, or has most `#[bench]`, else
    its program, else a benchmark of its workspace or of a package beside it; where that does not
    build, a program, an example, its tests, or a benchmark to be filled in."""
    manifest = folder / "Cargo.toml"
    try:
        data = parse_toml(needed(manifest))
    except ValueError as error:
        raise UserError(f"is not TOML: {error}", where=manifest) from None
    benches, inner = _benches(folder, data), _of_members(folder, data) or _beside(folder, data)
    if not benches and (not inner or _bins(folder, data)):
        program = _without(folder, data)
        # The program runs the code of all packages, if it has something to do.
        timed = (_timed(folder, data, inner),) if inner else ()
        return replace(program, others=(*timed, *program.others))
    return _timed(folder, data, benches or inner)


def _timed(folder: Path, data: Mapping[str, Any], benches: Sequence[_Bench]) -> Project:
    """The first of the benchmarks."""
    bench, more = benches[0], benches[1:]
    comments = [f"The program is the benchmark {bench}."]
    if more:
        comments.append(f"Other benchmarks: {some_names([*map(str, more)])}.")
    of = f" -p {bench.package}" if bench.package else ""
    place, manifest = folder, data
    if bench.beside:
        place, of = folder / bench.folder, f" --manifest-path {_LINKED}/{bench.folder}/Cargo.toml"
        manifest = parse_toml(needed(place / "Cargo.toml"))
    own = bench.runner == "libtest"
    if own:
        comments.append(f"{_NIGHTLY} lets any Rust build {_OWN}, which is for nightly Rust alone.")
    plain = Project(
        "path:cargo",
        (),
        "program",
        env={_NIGHTLY: "1"} if own else {},
        runner=bench.runner,
        options=_options(place, manifest) if bench.runner == "criterion" else (),
        folder="/".join(["{source}", *([bench.folder] if bench.folder else [])]),  # as cargo does
        comments=tuple(comments),
    )
    target = f"--profile bench{of} --bench {bench.name}{bench.features}"
    way = _by_cargo(place, manifest, plain, target, _in_deps(bench.name))
    if bench.beside:
        way = replace(
            way, fetch=("cargo", "fetch", "--manifest-path", f"{bench.folder}/Cargo.toml")
        )
    with suppress(UserError):
        instead = _without(folder, data)
        told = (f"The benchmark {bench} does not build.", *instead.comments)
        way = replace(way, otherwise=replace(instead, comments=told))
    return way


#: Examples of a library that are built in the place of a program, at most.
_EXAMPLES = 3


def _in_deps(name: str) -> str:
    """What cargo makes of that target, with a hash behind its name."""
    return f"$(ls -t target/release/deps/{name.replace('-', '_')}-* | grep -v '\\.' | head -n 1)"


def _without(folder: Path, data: Mapping[str, Any]) -> Project:
    """A binary of the package or of its workspace, an example, the tests, or a program to be filled
    in for its library."""
    plain = Project("path:cargo", (), "program", benchmarks=WHOLE)

    def way(kind: str, name: str, project: Project, of: str = "") -> Project:
        made = f"target/release/{'examples/' if kind == 'example' else ''}{name}"
        target = f"--release{of} --{kind} {name}{'' if of else _features(data, kind, name)}"
        return _by_cargo(folder, data, project, target, made)

    tests = _tests(folder, data)
    beside = (tests,) if tests else ()
    if bins := _bins(folder, data):
        return way("bin", bins[0], replace(plain, comments=others(bins), others=beside))
    if "package" not in data:
        names, places = dict[str, str](), dict[str, Path]()
        for place, inner in _members(folder, data):
            for name in _bins(place, inner):
                names[name] = inner["package"]["name"] + _features(inner, "bin", name)
                places[name] = (place / name).relative_to(folder)
        if not names and tests:
            return tests
        if not names:
            inside = some_names([str(p.relative_to(folder)) for p, _ in _members(folder, data)], 3)
            message = f"no package has a program or a benchmark; run whyfast new in one: {inside}"
            raise UserError(message, where=folder / "Cargo.toml")
        bins = wanted_first(places, folder.resolve().name, ())
        plain = replace(plain, comments=others(bins), others=beside)
        return way("bin", bins[0], plain, f" -p {names[bins[0]]}")
    missing = to_fill_in("main() of whyfast_bench.rs")
    crate = str(data.get("lib", {}).get("name") or data["package"].get("name", ""))
    own = replace(plain, steps=(rust_file(crate),), incomplete=missing)
    last = way("example", "whyfast_bench", own)
    examples = [
        way("example", f.stem, replace(plain, comments=(f"The program is the example {f.stem}.",)))
        for f in sources(folder, ("examples/*.rs",))[:_EXAMPLES]
    ]
    if tests:
        last = replace(tests, others=(last,), otherwise=last)
    if not examples:
        return last
    # What an example needs may not be here, and it may have nothing to do.
    return replace(examples[0], others=(*examples[1:], last, *last.others), otherwise=last)


def _bins(folder: Path, data: Mapping[str, Any]) -> list[str]:
    """The names of the package's programs."""
    bins = [str(b["name"]) for b in data.get("bin", ()) if "name" in b]
    if (folder / "src" / "main.rs").is_file() and "package" in data and not bins:
        bins.append(str(data["package"].get("name", "")))
    place = folder / "src" / "bin"
    more = [f.stem for f in place.glob("*.rs")] + [f.parent.name for f in place.glob("*/main.rs")]
    return bins + sorted(set(more) - set(bins))


def _tests(folder: Path, data: Mapping[str, Any]) -> Project | None:
    """All tests of the program that has most as one benchmark, if there are any. Those beside a
    package with a program start that, so they are left out: their own code is not its."""
    counts = Counter[tuple[Path, str, str]]()
    for place, inner in [(folder, data)] if "package" in data else _members(folder, data):
        package, bins = str(inner["package"].get("name", "")), _bins(place, inner)
        of = f"-p {package} " if place != folder else ""
        lib = str(inner.get("lib", {}).get("name") or package)
        alone = bool(bins) and not (place / "src" / "lib.rs").is_file()
        for file in sources(place, ("src/**/*.rs",) if bins else ("tests/*.rs", "src/**/*.rs")):
            kind, crate = (f"bin {bins[0]}", bins[0]) if alone else ("lib", lib)
            if file.parent == place / "tests":
                kind, crate = f"test {file.stem}", file.stem
            counts[place, f"{of}--{kind}", crate] += text_of(file).count("#[test]")
    if not any(counts.values()):
        return None
    place, target, crate = max(counts, key=counts.__getitem__)
    inside = "/".join(["{source}", *place.relative_to(folder).parts])
    comment = f"It has no benchmark: the program is its tests ({target}), all in a run."
    runs = {"tests": ("{program}", "--test-threads=1")}
    way = Project("path:cargo", (), "program", folder=inside, candidates=runs, comments=(comment,))
    return _by_cargo(folder, data, way, f"--profile bench {target}", _in_deps(crate))


def _by_cargo(
    folder: Path, data: Mapping[str, Any], project: Project, target: str, made: str
) -> Project:
    """The project with the steps in which cargo builds the target, whose file is ``made``."""
    # The same of programs and of tests, which then go on from what was compiled for the others.
    kept = (("DEBUG", "1"), ("STRIP", "none"))
    env = {f"CARGO_PROFILE_{p}_{key}": word for p in ("BENCH", "RELEASE") for key, word in kept}
    # Where nothing is asked for now, the other side of a change may ask.
    env |= {**project.env, **registry()}
    steps = ("mkdir -p cargo", *project.steps)
    comments = (*project.comments, offline_comment("cargo fetch", "REGISTRY", "cargo vendor"))
    fetch = ("cargo", "fetch") if _needs_registry(folder, data) else project.fetch
    linked = f'ln -sfn "$PWD" {_LINKED} && ' if _LINKED in target else ""
    how = f'{REGISTRY_HERE}cd {{source}} && {linked}CARGO_TARGET_DIR="$OLDPWD/target" '
    how += 'RUSTFLAGS="{cflags}" {cc}'
    make, copy = f"({how} rustc {target} --offline -j{{jobs}}", f") && cp {made} {{program}}"
    # Only the last crate is compiled, whose objects are kept.
    again = ' -- -C save-temps -C link-args="{layout}"'
    plain = replace(project, steps=(*steps, make + copy), env=env, comments=comments, fetch=fetch)
    return replace(plain, steps=steps, link=make + again + copy, as_linked=plain)


#: The source by a name that builds share: cargo names what a package outside of the workspace makes
#: by the path to it, by which the compiler orders and divides the code.
_LINKED = '"$CARGO_HOME/source"'

#: In a separate folder: credentials stay hidden, and cargo can unpack and lock. It is empty at each
#: step where the sandbox has a /tmp of its own.
REGISTRY_HERE = (
    'mkdir -p "$CARGO_HOME/registry"; '
    'for f in index cache; do ln -sfn "$REGISTRY/$f" "$CARGO_HOME/registry/$f"; done; '
)


def registry() -> dict[str, str]:
    """The variable that names the folder with what cargo has downloaded."""
    home = os.environ.get("CARGO_HOME", Path.home() / ".cargo")
    return {"REGISTRY": str(Path(home, "registry"))}


def _needs_registry(folder: Path, manifest: Mapping[str, Any]) -> bool:
    """Whether it is built with what a registry has: by its lock file, or else by what it asks for,
    as libraries keep no lock file."""
    if (folder / "Cargo.lock").is_file():
        return 'source = "registry+' in text_of(folder / "Cargo.lock")
    return any(isinstance(a, str) or not {"path", "git"} & set(a) for a in _asked(manifest))


def _asked(manifest: Mapping[str, Any]) -> Iterator[str | Mapping[str, Any]]:
    """What it says of each package that it asks for."""
    for table in (manifest, manifest.get("workspace", {}), *manifest.get("target", {}).values()):
        for kind in ("dependencies", "dev-dependencies", "build-dependencies"):
            yield from table.get(kind, {}).values()


def _of_members(folder: Path, data: Mapping[str, Any]) -> list[_Bench]:
    """The benchmarks of a workspace's packages."""
    return [
        replace(b, package=str(inner["package"]["name"]), folder=str(place.relative_to(folder)))
        for place, inner in _members(folder, data)
        for b in _benches(place, inner)
    ]


def _beside(folder: Path, data: Mapping[str, Any]) -> list[_Bench]:
    """The benchmarks of packages below that are not of the workspace, but use one of it."""
    own = {place.resolve() for place in (folder, *(p for p, _ in _members(folder, data)))}
    found = list[_Bench]()
    for file in sources(folder, ("*/Cargo.toml", "*/*/Cargo.toml")):
        place = file.parent
        with suppress(ValueError):
            inner = parse_toml(text_of(file))
            tables = (a for a in _asked(inner) if not isinstance(a, str))
            used = {(place / a["path"]).resolve() for a in tables if "path" in a}
            if place.resolve() not in own and own & used:
                name, inside = str(inner["package"]["name"]), str(place.relative_to(folder))
                found += [
                    replace(b, package=name, folder=inside, beside=True)
                    for b in _benches(place, inner)
                ]
    return found


def _members(folder: Path, data: Mapping[str, Any]) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """The folders of a workspace's packages, with their manifests."""
    listed = map(str, data.get("workspace", {}).get("members", ()))
    for pattern in (p for p in listed if p.strip("./") and ".." not in p and p[0] != "/"):
        for member in sorted(folder.glob(pattern)):
            with suppress(ValueError):
                inner = parse_toml(text_of(member / "Cargo.toml"))
                if inner.get("package", {}).get("name", "") and member != folder:
                    yield member, inner


def _benches(folder: Path, manifest: Mapping[str, Any]) -> list[_Bench]:
    """The targets of benchmarks that time themselves; cargo finds those in ``benches``."""
    found = []
    for entry in manifest.get("bench", ()):
        name = str(entry.get("name", ""))
        places = entry.get("path", f"benches/{name}.rs"), f"benches/{name}/main.rs"
        text = "".join(text_of(folder / str(place)) for place in places)
        runner = next((r for r in _RUNNERS if _wanted(r, manifest) and r in text), "")
        if runner:
            found.append(_Bench(name, runner, features=_features(manifest, "bench", name)))
    if found:
        return found
    counts = {
        f.stem if f.stem != "main" else f.parent.name: text_of(f).count(_OWN)
        for f in sources(folder, ("benches/*.rs", "benches/*/main.rs"))
    }
    most = sorted((name for name in counts if counts[name]), key=lambda name: -counts[name])
    return [_Bench(n, "libtest", features=_features(manifest, "bench", n)) for n in most]


def _features(manifest: Mapping[str, Any], kind: str, name: str) -> str:
    asked = (e.get("required-features") for e in manifest.get(kind, ()) if e.get("name") == name)
    wanted = next(asked, None)
    return f" --features {','.join(map(str, wanted))}" if wanted else ""


def _wanted(crate: str, manifest: Mapping[str, Any]) -> str:
    """The version of the crate that benchmarks ask for; empty where they ask for none. A package
    that is for benchmarks alone asks for it as a whole."""
    tables = (manifest, *manifest.get("target", {}).values())
    for asked in (
        table.get(f"{kind}dependencies", {}) for table in tables for kind in ("dev-", "")
    ):
        if wanted := asked.get(crate):
            return wanted if isinstance(wanted, str) else str(wanted.get("version", "*"))
    return ""


def _options(folder: Path, manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """Until version 0.3, Criterion takes whole seconds alone."""
    lock = re.search(r'name = "criterion"\nversion = "([^"]+)"', text_of(folder / "Cargo.lock"))
    version = lock[1] if lock else _wanted("criterion", manifest)
    old = re.match(r"[\^~=v ]*0\.[0-3](?!\d)", version)
    return ("--warm-up-time=1", "--measurement-time=1") if old else ()
