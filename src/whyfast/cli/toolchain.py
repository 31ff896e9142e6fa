"""``whyfast toolchain``: list, install and remove compilers."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(action="list")
    actions = parser.add_subparsers(metavar="ACTION")
    actions.add_parser("list", help="what can be used here (the default)").set_defaults(
        action="list"
    )
    for action, text in (
        ("install", "download compilers now instead of at the first build"),
        ("remove", "delete downloaded compilers"),
    ):
        parser_ = actions.add_parser(action, help=text)
        parser_.add_argument("names", metavar="TOOLCHAIN", nargs="+", help="e.g. zig:clang-19")
        parser_.set_defaults(action=action)


def run(args: argparse.Namespace) -> int:
    import sys

    from rich.console import Console

    from whyfast.model.errors import CannotBuildHere
    from whyfast.report.toolchain_table import print_toolchain, print_toolchains
    from whyfast.store.home import home
    from whyfast.toolchain.provider import providers, resolve, split_name

    place = home()
    console = Console()
    if args.action == "list":
        print_toolchains(
            [
                (f"{provider}:{name}", p.installed(name, place), p.size(name, place))
                for provider, p in providers().items()
                for name in p.names()
            ],
            console,
        )
        return 0
    chosen = [(full, *split_name(full)) for full in args.names]
    failed = False
    for full, provider, name in chosen:
        try:
            if args.action == "install":
                print_toolchain(resolve(full, place, console.print), console)
            else:
                providers()[provider].remove(name, place)
                console.print(f"removed {full}")
        except CannotBuildHere as error:
            print(f"whyfast: {full}: {error}", file=sys.stderr)
            failed = True
    return 1 if failed else 0
