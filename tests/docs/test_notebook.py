"""The notebook's cells are run in order, and print what stands beneath them."""

import io
import json
import os
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from tests.docs.snippets import ROOT
from whyfast.store.home import Home

NOTEBOOK = ROOT / "docs" / "library.ipynb"


@pytest.mark.golden
def test_the_notebook(own_home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``WHYFAST_GOLDEN=write`` writes the outputs; no cell prints what depends on the machine."""
    monkeypatch.chdir(tmp_path)
    notebook = json.loads(NOTEBOOK.read_text("utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    printed = 0
    for number, cell in enumerate(c for c in notebook["cells"] if c["cell_type"] == "code"):
        with redirect_stdout(io.StringIO()) as out:
            exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
        text = out.getvalue().splitlines(keepends=True)
        stream = [{"name": "stdout", "output_type": "stream", "text": text}] if text else []
        if os.environ.get("WHYFAST_GOLDEN") == "write":
            cell |= {"outputs": stream, "execution_count": number + 1}
        assert cell["outputs"] == stream, f"cell {number}"
        printed += bool(text)
    assert printed > 5
    if os.environ.get("WHYFAST_GOLDEN") == "write":
        NOTEBOOK.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")
