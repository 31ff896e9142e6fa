"""A document as JSON, for commands that have no data of their own to give."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from whyfast import __version__
from whyfast.model.codec import encode
from whyfast.report.document import Block, CodeSides, Document, Group, Plot

#: Raised by one whenever a reader of the old form would misread the new one.
SCHEMA = "whyfast-document/1"


def dump_document(document: Document) -> str:
    """The JSON text, see docs/report.md."""
    sections = [
        {**encode(section), "blocks": [_block(block) for block in section.blocks]}
        for section in document.sections
    ]
    data = {
        "schema": SCHEMA,
        "generator": {"name": "whyfast", "version": __version__},
        **encode(document),
        "sections": sections,
    }
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _block(block: Block) -> dict[str, Any]:
    """Its fields, and which kind of block it is."""
    if isinstance(block, Plot):
        block = replace(block, later=None)
    data = {"block": type(block).__name__.lower(), **encode(block)}
    if isinstance(block, CodeSides):
        # The two listings are in the rows already.
        data["rows"] = data.pop("difference")["rows"]
    data.pop("later", None)
    if isinstance(block, Group):
        data["blocks"] = [_block(inner) for inner in block.blocks]
    return data
