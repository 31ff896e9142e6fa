"""``whyfast toolchain``: list, install and remove compilers."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from whyfast.cli.output import add_outputs

if TYPE_CHECKING:
    from whyfast.toolchain.debian_root import RecordedRoot


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(action="list")
    add_outputs(parser)
    actions = parser.add_subparsers(metavar="ACTION")
    listing = actions.add_parser(
        "list", help="what can be used here (the default)", argument_default=argparse.SUPPRESS
    )
    listing.set_defaults(action="list")
    add_outputs(listing)
    for action, text in (
        ("install", "download compilers now instead of at the first build"),
        ("remove", "delete downloaded compilers"),
    ):
        parser_ = actions.add_parser(action, help=text)
        few = "*" if action == "install" else "+"
        parser_.add_argument("names", metavar="TOOLCHAIN", nargs=few, help="e.g. zig:clang-19")
        if action == "install":
            parser_.add_argument(
                "--from",
                dest="recorded",
                metavar="BUILD",
                action="append",
                default=[],
                help="the Debian root that a build was made in, with the very same packages; the "
                "beginning of its digest, or a file provenance.json",
            )
        parser_.set_defaults(action=action)


def run(args: argparse.Namespace) -> int:
    import sys

    from whyfast.cli.output import FAILED, check_outputs, show
    from whyfast.model.errors import CannotBuildHere, UserError
    from whyfast.report.pages.admin_pages import toolchain_text, toolchains_page
    from whyfast.store.home import own_home
    from whyfast.toolchain.debian import DebianProvider
    from whyfast.toolchain.entrance import entrances_in_words
    from whyfast.toolchain.registry import providers, resolve, split_name
    from whyfast.toolchain.sandbox import tools
    from whyfast.toolchain.valgrind import NAME, newer_valgrind, remove_valgrind, valgrind_size

    place = own_home()
    if args.action == "list":
        check_outputs(args)
        names = {provider: p.names() for provider, p in providers().items()}
        names["debian"] += DebianProvider().elsewhere(place)
        rows = [
            (f"{provider}:{name}", p.installed(name, place), p.size(name, place))
            for provider, p in providers().items()
            for name in names[provider]
        ]
        has_valgrind = valgrind_size(place)
        rows.append((NAME, has_valgrind > 0, has_valgrind))
        show(toolchains_page(rows, entrances_in_words(tools())), args)
        return 0
    recorded = [_recorded(build) for build in getattr(args, "recorded", [])]
    if not args.names and not recorded:
        raise UserError("name a toolchain, e.g. zig:clang-19, or --from a build")
    chosen = [(full, *split_name(full)) for full in args.names]
    failed = False
    for full, provider, name in chosen:
        try:
            if full == NAME:
                if args.action == "install":
                    print(f"{NAME}: {newer_valgrind(place, print)}")
                else:
                    remove_valgrind(place)
                    print(f"removed {full}")
            elif args.action == "install":
                print(toolchain_text(resolve(full, place, print)))
            else:
                providers()[provider].remove(name, place)
                print(f"removed {full}")
        except CannotBuildHere as error:
            print(f"whyfast: {full}: {error}", file=sys.stderr)
            failed = True
    for build, root in zip(getattr(args, "recorded", []), recorded, strict=True):
        try:
            print(toolchain_text(DebianProvider().install_again(root, place, print)))
        except CannotBuildHere as error:
            print(f"whyfast: --from {build}: {error}", file=sys.stderr)
            failed = True
    return FAILED if failed else 0


def _recorded(build: str) -> RecordedRoot:
    """The root of a build in the store, or of one whose provenance is in a file."""
    import json
    from pathlib import Path

    from whyfast.model.errors import UserError
    from whyfast.store.builds import BuildStore
    from whyfast.store.home import own_home
    from whyfast.toolchain.debian_root import recorded_root

    where = f"--from {build}"
    file = Path(build)
    if not file.is_file():
        return recorded_root(BuildStore(own_home().builds).by_prefix(build).provenance, where)
    try:
        provenance = json.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise UserError(f"is no provenance.json ({error})", where=where) from error
    if not isinstance(provenance, dict):
        raise UserError("is no provenance.json", where=where)
    return recorded_root(provenance, where)
