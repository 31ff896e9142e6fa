"""What builds a project of Rust: a benchmark by Criterion, or a binary."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from whyfast.model.errors import UserError
from whyfast.study import own_benchmarks
from whyfast.study.project import WHOLE, Project, needed, others, some, text_of
from whyfast.study.toml_document import parse_toml


def cargo(folder: Path) -> Project:
    """The first benchmark of the package that uses Criterion, or its first binary."""
    manifest = folder / "Cargo.toml"
    try:
        data = parse_toml(needed(manifest))
    except ValueError as error:
        raise UserError(f"is not TOML: {error}", where=manifest) from None
    bins = [str(b["name"]) for b in data.get("bin", ()) if "name" in b]
    if (folder / "src" / "main.rs").is_file() and "package" in data and not bins:
        bins.append(str(data["package"].get("name", "")))
    bins += sorted(f.stem for f in (folder / "src" / "bin").glob("*.rs") if f.stem not in bins)
    bench, found = _criterion(folder, data)
    if not bins and not found:
        what = "no benchmark by Criterion"
        if _uses_criterion(data) and data.get("bench"):
            what = "no benchmark by Criterion whose name stands in its text"
        message = f"has no binary and {what}, and a library alone cannot be timed"
        raise UserError(message, where=manifest)
    profile = "BENCH" if found else "RELEASE"
    env = {f"CARGO_PROFILE_{profile}_DEBUG": "1", f"CARGO_PROFILE_{profile}_STRIP": "none"}
    said = [f"The program is the benchmark {bench}."] if found else list(others(bins))
    own = []
    first = ""
    if _needs_registry(folder, data):
        first = "cargo fetch"
        registry = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"), "registry")
        env["REGISTRY"] = str(registry)
        said.append(
            "There is no network while building: run `cargo fetch` before. REGISTRY is what it "
            "fetched, shown to the build; what `cargo vendor` writes needs neither."
        )
        # In a folder of its own: credentials stay unseen, and cargo can unpack and lock.
        own = [
            "mkdir -p cargo/registry; "
            'for f in index cache; do ln -s "$REGISTRY/$f" cargo/registry/$f; done'
        ]
    home = 'export CARGO_HOME="$PWD/cargo"; ' if own else ""
    how = f'{home}cd {{source}} && CARGO_TARGET_DIR=../target RUSTFLAGS="{{cflags}}" {{cc}}'
    if found:
        # Its file has a hash behind its name.
        newest = f"$(ls -t target/release/deps/{bench}-* | grep -v '\\.d$' | head -n 1)"
        return Project(
            "path:cargo",
            (
                *own,
                f"{how} bench --no-run --offline -j{{jobs}} --bench {bench}",
                f'cp "{newest}" {{program}}',
            ),
            "program",
            env=env,
            benchmarks=some(found),
            runner="criterion",
            said=tuple(said),
            first=first,
        )
    return Project(
        "path:cargo",
        (*own, f"{how} build --release --offline -j{{jobs}} --bin {bins[0]}"),
        f"target/release/{bins[0]}",
        env=env,
        benchmarks=WHOLE,
        said=tuple(said),
        first=first,
    )


def _needs_registry(folder: Path, manifest: Mapping[str, Any]) -> bool:
    """Whether it is built with what a registry has: by its lock file, or else by what it asks for,
    as libraries keep no lock file."""
    if (folder / "Cargo.lock").is_file():
        return 'source = "registry+' in text_of(folder / "Cargo.lock")
    tables = (manifest, manifest.get("workspace", {}), *manifest.get("target", {}).values())
    return any(
        isinstance(asked, str) or not {"path", "git"} & set(asked)
        for table in tables
        for kind in ("dependencies", "dev-dependencies", "build-dependencies")
        for asked in table.get(kind, {}).values()
    )


def _criterion(folder: Path, manifest: Mapping[str, Any]) -> tuple[str, own_benchmarks.Commands]:
    """The first file of benchmarks by Criterion, and what is in it."""
    if not _uses_criterion(manifest):
        return "", {}
    for entry in manifest.get("bench", ()):
        name = str(entry.get("name", ""))
        file = folder / str(entry.get("path", f"benches/{name}.rs"))
        if found := own_benchmarks.criterion(_with_modules(file)):
            return name, found
    return "", {}


def _uses_criterion(manifest: Mapping[str, Any]) -> bool:
    tables = (manifest, *manifest.get("target", {}).values())
    return any("criterion" in table.get("dev-dependencies", {}) for table in tables)


def _with_modules(file: Path) -> str:
    """Its text, and that of the modules that it names."""
    text = text_of(file)
    names = re.findall(r"^[ \t]*(?:pub\s+)?mod\s+(\w+)\s*;", text, re.MULTILINE)
    places = (file.parent / place for n in names for place in (f"{n}.rs", f"{n}/mod.rs"))
    return "\n".join((text, *map(text_of, places)))
