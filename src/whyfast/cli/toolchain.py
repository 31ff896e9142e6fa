"""``whyfast toolchain``: list, install and remove compilers."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from whyfast.cli.output import FAILED, check_outputs, show
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.report.pages.admin_pages import toolchain_text, toolchains_page
from whyfast.store.builds import BuildStore
from whyfast.store.home import own_home
from whyfast.toolchain.debian import DebianProvider
from whyfast.toolchain.debian_root import RecordedRoot, recorded_root
from whyfast.toolchain.entrance import entrances_in_words
from whyfast.toolchain.registry import providers, resolve, split_name
from whyfast.toolchain.sandbox import tools
from whyfast.toolchain.valgrind import NAME, newer_valgrind, remove_valgrind, valgrind_size


def run_toolchain(args: argparse.Namespace) -> int:
    """List, install or remove compilers; 1 when one cannot be installed here."""
    home = own_home()
    if args.action == "list":
        check_outputs(args)
        names = {provider: p.names() for provider, p in providers().items()}
        names["debian"] += DebianProvider().elsewhere(home)
        rows = [
            (f"{provider}:{name}", p.installed(name, home), p.size(name, home))
            for provider, p in providers().items()
            for name in names[provider]
        ]
        has_valgrind = valgrind_size(home)
        rows.append((NAME, has_valgrind > 0, has_valgrind))
        show(toolchains_page(rows, entrances_in_words(tools())), args)
        return 0
    recorded = [_recorded_root(build) for build in args.recorded]
    if not args.names and not recorded:
        raise UserError("no toolchain given; expected e.g. zig:clang-19, or --from BUILD")
    chosen = [(full, *split_name(full)) for full in args.names]
    failed = False
    for full, provider, name in chosen:
        try:
            if full == NAME:
                if args.action == "install":
                    print(f"{NAME}: {newer_valgrind(home, print)}")
                else:
                    remove_valgrind(home)
                    print(f"removed {full}")
            elif args.action == "install":
                print(toolchain_text(resolve(full, home, print)))
            else:
                providers()[provider].remove(name, home)
                print(f"removed {full}")
        except CannotBuildHere as error:
            print(f"whyfast: {full}: {error}", file=sys.stderr)
            failed = True
    for build, root in zip(args.recorded, recorded, strict=True):
        try:
            print(toolchain_text(DebianProvider().install_again(root, home, print)))
        except CannotBuildHere as error:
            print(f"whyfast: --from {build}: {error}", file=sys.stderr)
            failed = True
    return FAILED if failed else 0


def _recorded_root(build: str) -> RecordedRoot:
    """The root of a build in the store, or of one whose provenance is in a file."""
    where = f"--from {build}"
    file = Path(build)
    if not file.is_file():
        return recorded_root(BuildStore(own_home().builds).by_prefix(build).provenance, where)
    try:
        provenance = json.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise UserError(f"not a provenance.json: {error}", where=where) from error
    if not isinstance(provenance, dict):
        raise UserError("not a provenance.json: no object", where=where)
    return recorded_root(provenance, where)
