"""What `ab` imports: half a second that nobody waits for."""

from __future__ import annotations

import subprocess
import sys

#: Every module that `whyfast ab` of two commands uses up to its report on a terminal.
IMPORTS = """
import sys
import whyfast.cli.ab, whyfast.cli.arguments, whyfast.cli.output
import whyfast.investigate.ab_run
import whyfast.report.progress, whyfast.report.result_json, whyfast.store.home
import whyfast.report.pages.results, whyfast.report.render.terminal
print(*sys.modules)
"""


def test_nothing_is_imported_that_only_studies_need() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    heavy = {"scipy", "elftools", "plotly", "capstone", "lief", "jinja2", "tomlkit", "debian"}
    assert loaded & heavy == set()
    packages = {".".join(m.split(".")[:2]) for m in loaded if m.startswith("whyfast.")}
    assert packages & {"whyfast.build", "whyfast.interpreter", "whyfast.history"} == set()
    assert not {"whyfast.study.load", "whyfast.explain.program"} & loaded
    # Nor what few results hold, though a result names its types.
    rare = ("boot", "check", "code_listing", "counted", "hot", "toolchain", "trouble")
    assert not {f"whyfast.model.{name}" for name in rare} & loaded
    # Nor what only other kinds of runners, counting and instruction by instruction need.
    assert not loaded & {
        "whyfast.measure.registry",
        "whyfast.measure.harnesses",
        "whyfast.measure.simulate",
        "whyfast.toolchain.wheels",
        "whyfast.toolchain.valgrind",
    }
