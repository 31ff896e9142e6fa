"""``whyfast builds``: list, show and remove builds."""

from __future__ import annotations

import argparse

from whyfast.cli.output import add_outputs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(action="list")
    add_outputs(parser)
    actions = parser.add_subparsers(metavar="ACTION")
    listing = actions.add_parser(
        "list",
        help="all builds, most recently used first (the default)",
        argument_default=argparse.SUPPRESS,
    )
    add_outputs(listing)
    listing.set_defaults(action="list")
    show = actions.add_parser(
        "show",
        help="provenance, and the commands to repeat it by hand",
        argument_default=argparse.SUPPRESS,
    )
    add_outputs(show)
    show.add_argument("digest", metavar="DIGEST", help="the beginning of a digest")
    show.add_argument(
        "--script", action="store_true", help="only the commands, as a shell script", default=False
    )
    show.set_defaults(action="show")
    log = actions.add_parser("log", help="what the steps of a build printed, a failed one's too")
    log.add_argument("digest", metavar="DIGEST", help="the beginning of a digest")
    log.set_defaults(action="log")
    gc = actions.add_parser("gc", help="remove builds that have not been used for a while")
    gc.add_argument("--older-than", metavar="TIME", default="30d", help="e.g. 12h or 30d (default)")
    gc.add_argument("--all", action="store_true", help="remove all of them")
    gc.set_defaults(action="gc")


def run(args: argparse.Namespace) -> int:
    from whyfast.build.run import repeat_script
    from whyfast.cli.arguments import duration
    from whyfast.cli.output import check_outputs, show
    from whyfast.cli.standard_output import say
    from whyfast.model.errors import UserError
    from whyfast.report.formatting import format_bytes
    from whyfast.report.pages.admin_pages import build_page, builds_page, failed_build_page
    from whyfast.store.builds import BuildStore, FailedBuild
    from whyfast.store.home import own_home

    check_outputs(args)
    store = BuildStore(own_home().builds)
    if args.action == "list":
        show(builds_page(list(store.all())), args)
    elif args.action == "show":
        build = store.tried(args.digest)
        if isinstance(build, FailedBuild):
            show(failed_build_page(build), args)
            return 0
        script = repeat_script(build.provenance, build.folder)
        if args.script:
            say(script)
        else:
            show(build_page(build, script), args)
    elif args.action == "log":
        file = store.tried(args.digest).folder / "log.txt"
        try:
            text = file.read_text(encoding="utf-8", errors="backslashreplace")
        except OSError as error:
            raise UserError(f"cannot be read: {error.strerror}", where=file) from None
        say(text)
    else:
        older = 0.0 if args.all else duration(args.older_than, "--older-than")
        done = store.remove_unused(older)
        kept = f"; {done.kept} in use by a running whyfast stay" if done.kept else ""
        print(f"removed {done.count} builds, {format_bytes(done.freed)}{kept}")
    return 0
