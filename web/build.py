"""The documentation as a static site: ``python -m web.build FOLDER``.

Sphinx makes the pages of docs; every warning, a dead link among them, fails. Beside them lie the
reports of the bundled studies that this machine has results of (``whyfast run NAME``, or ``--run
NAME`` here; without any, those of :data:`QUICK` are run), and ``llms.txt``, all pages in one list
for programs that read.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from html import escape
from pathlib import Path
from textwrap import shorten

from whyfast.cli.results import stored_result
from whyfast.model.study import Study
from whyfast.report import formatting as fmt
from whyfast.report.pages.results import result_page
from whyfast.report.render.html import render_html
from whyfast.report.result_json import from_json
from whyfast.study.load import bundled_studies

ROOT = Path(__file__).parents[1]

#: Studies that need gcc alone and download nothing: two minutes in all.
QUICK = ("code-placement", "bpf-tail-call-vm")

_ANCHOR = re.compile(r'^<a id="([^"]+)"></a>\n', re.MULTILINE)
_REDIRECT = """<!doctype html>
<meta charset="utf-8"><title>whyfast</title>
<meta http-equiv="refresh" content="0; url=web/index.html">
<a href="web/index.html">whyfast</a>
"""


def main(folder: Path, studies: Sequence[str] = ()) -> int:
    """Run the studies, build the site; 0, or the exit code of what failed."""
    results = any(stored_result(study.name) for study in bundled_studies())
    for study in studies or (() if results else QUICK):
        print(f"running {study} for the gallery", file=sys.stderr)
        whyfast = [sys.executable, "-m", "whyfast", "run", study]
        if code := subprocess.run(whyfast, stdout=subprocess.DEVNULL).returncode:
            return code
    files = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    ).stdout.split("\0")
    with tempfile.TemporaryDirectory() as name:
        source = Path(name)
        for file in filter(None, files):
            (source / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, source / file)
        _name_targets(source)
        reports = folder / "reports"
        reports.mkdir(parents=True, exist_ok=True)
        (source / "web" / "gallery.md").write_text(_gallery(reports), encoding="utf-8")
        words = ["-W", "--keep-going", "-q", "-j", "2", "-c", str(ROOT / "web"), str(source)]
        code = subprocess.run([sys.executable, "-m", "sphinx", *words, str(folder)]).returncode
    if code == 0:
        (folder / "index.html").write_text(_REDIRECT, encoding="utf-8")
        (folder / "llms.txt").write_text(_listing(), encoding="utf-8")
        print(f"wrote {folder / 'index.html'}")
    return code


def _name_targets(source: Path) -> None:
    """Anchors of GitHub's kind become targets of MyST, as it sees no HTML, and links follow."""
    pages = {page: page.read_text("utf-8") for page in source.rglob("*.md")}
    names = {name for text in pages.values() for name in _ANCHOR.findall(text)}
    link = re.compile(rf"\]\([\w./-]*#({'|'.join(map(re.escape, names))})\)")
    for page, text in pages.items():
        page.write_text(link.sub(r"](#at-\1)", _ANCHOR.sub(r"(at-\1)=\n", text)), encoding="utf-8")


def _gallery(reports: Path) -> str:
    """The page of the gallery; writes the reports that it links to."""
    shown, missing = [], []
    for study in bundled_studies():
        stored = stored_result(study.name)
        if stored is None:
            missing.append(f"`{study.name}`")
            continue
        result = from_json(json.loads(json.dumps(stored)))
        page = result_page(result)
        (reports / f"{study.name}.html").write_text(render_html(page), encoding="utf-8")
        day = time.strftime("%Y-%m-%d", time.gmtime(result.recorded.started))
        assert isinstance(result.question, Study)
        budget = fmt.seconds(result.question.measure.budget)
        shown += [
            f"## {study.title}",
            f'<p><a href="../reports/{study.name}.html">{escape(study.name)}, the report</a>'
            f" of {day}; measuring took {budget} at most</p>",
            f"<p>{escape(page.headline)}</p>",
        ]
    begin = "Reports of the bundled studies, as `whyfast run NAME --html FILE` writes them, from "
    begin += "the machine that built this site. What they mean is told in "
    begin += "[the studies](../docs/studies.md), with figures of longer runs."
    end = f"Not run on that machine: {', '.join(missing)}." if missing else ""
    return "\n\n".join(["# Gallery", begin, *shown, end])


def _listing() -> str:
    """The pages by title and first sentence, for ``llms.txt``."""
    lines = ["# whyfast", "", "> Is it really faster, compared with what, why, and since when?", ""]
    for page in sorted((ROOT / "docs").rglob("*.md")):
        title, *rest = page.read_text("utf-8").split("\n\n")
        texts = (p for p in rest if p[:1] not in ("#", " ", "|", "<", "`"))
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", next(texts, ""))
        about = shorten(" ".join(words.split()).split(". ")[0], 200, placeholder=" …")
        place = page.relative_to(ROOT).with_suffix(".html")
        lines.append(f"- [{title.removeprefix('# ')}]({place}): {about}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--run", nargs="*", default=[], metavar="STUDY", help="run these first")
    args = parser.parse_args()
    sys.exit(main(args.folder.absolute(), args.run))
