"""``whyfast builds``: list, show and remove builds."""

from __future__ import annotations

import argparse

from whyfast.build.run import repeat_script
from whyfast.cli.output import check_outputs, duration, show
from whyfast.cli.standard_output import say
from whyfast.model.errors import UserError
from whyfast.report.formatting import format_bytes
from whyfast.report.pages.admin_pages import build_page, builds_page, failed_build_page
from whyfast.store.builds import BuildStore, FailedBuild
from whyfast.store.home import own_home


def run_builds(args: argparse.Namespace) -> int:
    """List builds, show one or its log, or remove unused ones."""
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
        age = 0.0 if args.all else duration(args.older_than, "--older-than")
        removed = store.remove_unused(age)
        kept = f"; {removed.kept} kept: in use by a running whyfast" if removed.kept else ""
        print(f"removed {removed.count} builds, {format_bytes(removed.freed)}{kept}")
    return 0
