"""A project of Rust: benchmarks by Criterion, or a binary."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
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
    text_of,
)
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
    benches = _criterion(folder, data)
    bench = benches[0] if benches else ""
    package, members = "", tuple[str, ...]()
    if not bench:
        package, bench, members = _of_member(folder, data)
    library = not bins and not bench
    if library and "package" not in data:
        message = "no package has a benchmark by Criterion; run whyfast new in one of them"
        raise UserError(message, where=manifest)
    profile = "BENCH" if bench else "RELEASE"
    env = {f"CARGO_PROFILE_{profile}_DEBUG": "1", f"CARGO_PROFILE_{profile}_STRIP": "none"}
    comments = [f"The program is the benchmark {bench}."] if bench else list(others(bins))
    if more := [b for b in benches[1:] if not package]:
        comments.append(f"Other benchmarks by Criterion: {', '.join(more)}.")
    if members:
        comments.append(f"Other benchmarks by Criterion: {', '.join(members)}.")
    steps = ["mkdir -p cargo"]
    fetch: tuple[str, ...] = ()
    if _needs_registry(folder, data):
        fetch = ("cargo", "fetch")
        registry = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"), "registry")
        env["REGISTRY"] = str(registry)
        comments.append(offline_comment("cargo fetch", "REGISTRY", "cargo vendor"))
        # In a separate folder: credentials stay hidden, and cargo can unpack and lock.
        steps = [
            "mkdir -p cargo/registry && "
            'for f in index cache; do ln -s "$REGISTRY/$f" cargo/registry/$f; done'
        ]
    home = 'export CARGO_HOME="$PWD/cargo"; ' if fetch else ""
    how = f'{home}cd {{source}} && CARGO_TARGET_DIR="$OLDPWD/target" RUSTFLAGS="{{cflags}}" {{cc}}'
    if bench:
        of = f" -p {package}" if package else ""
        target = f"--profile bench{of} --bench {bench}"
        # Its file has a hash behind its name.
        made = f"$(ls -t target/release/deps/{bench}-* | grep -v '\\.' | head -n 1)"
    elif library:
        crate = data.get("lib", {}).get("name") or data["package"].get("name", "")
        steps.append(rust_file(str(crate)))
        target = "--release --example whyfast_bench"
        made = "target/release/examples/whyfast_bench"
    else:
        target, made = f"--release --bin {bins[0]}", f"target/release/{bins[0]}"
    make, copy = f"({how} rustc {target} --offline -j{{jobs}}", f") && cp {made} {{program}}"
    plain = Project(
        "path:cargo",
        (*steps, make + copy),
        "program",
        env=env,
        benchmarks={} if bench else WHOLE,
        runner="criterion" if bench else "command",
        options=_options(folder, data) if bench else (),
        incomplete=to_fill_in("main() of whyfast_bench.rs") if library else "",
        comments=tuple(comments),
        fetch=fetch,
    )
    # Only the last crate is compiled, whose objects are kept.
    again = ' -- -C save-temps -C link-args="{layout}"'
    return replace(plain, steps=tuple(steps), link=make + again + copy, as_linked=plain)


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


def _of_member(folder: Path, data: Mapping[str, Any]) -> tuple[str, str, tuple[str, ...]]:
    """The package of a workspace with the first benchmark by Criterion, that benchmark, and those
    of further packages as ``package/benchmark``; empty without one."""
    found = []
    patterns = [str(m) for m in data.get("workspace", {}).get("members", ()) if ".." not in str(m)]
    for pattern in patterns:
        for member in sorted(folder.glob(pattern)):
            try:
                inner = parse_toml(text_of(member / "Cargo.toml"))
            except ValueError:
                continue
            name = inner.get("package", {}).get("name", "")
            if name and (benches := _criterion(member, inner)):
                found.append((str(name), benches[0]))
    if not found:
        return "", "", ()
    return *found[0], tuple("/".join(pair) for pair in found[1:])


def _criterion(folder: Path, manifest: Mapping[str, Any]) -> list[str]:
    """The targets of benchmarks that use Criterion."""
    if not _criterion_wanted(manifest):
        return []
    found = []
    for entry in manifest.get("bench", ()):
        name = str(entry.get("name", ""))
        places = entry.get("path", f"benches/{name}.rs"), f"benches/{name}/main.rs"
        if any("criterion" in text_of(folder / str(place)) for place in places):
            found.append(name)
    return found


def _criterion_wanted(manifest: Mapping[str, Any]) -> str:
    """The version of Criterion that the manifest asks for; empty where it asks for none."""
    for table in (manifest, *manifest.get("target", {}).values()):
        if wanted := table.get("dev-dependencies", {}).get("criterion"):
            return wanted if isinstance(wanted, str) else str(wanted.get("version", "*"))
    return ""


def _options(folder: Path, manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """Until version 0.3, Criterion takes whole seconds alone."""
    lock = re.search(r'name = "criterion"\nversion = "([^"]+)"', text_of(folder / "Cargo.lock"))
    version = lock[1] if lock else _criterion_wanted(manifest)
    old = re.match(r"[\^~=v ]*0\.[0-3](?!\d)", version)
    return ("--warm-up-time=1", "--measurement-time=1") if old else ()
