"""Documents for parsers are what their endings say."""

import configparser
import csv
import io
import json
import xml.etree.ElementTree as ET

import pytest

from whyfast.study.documents import DOCUMENTS, RECORDS


def test_documents_are_read_by_parsers_of_their_formats() -> None:
    texts = {ending: make(RECORDS) for ending, make in DOCUMENTS.items()}
    ini = configparser.ConfigParser()
    ini.read_string(texts["ini"])
    assert len(json.loads(texts["json"])) == len(ini.sections()) == 4000
    assert len(ET.fromstring(texts["xml"])) == 4000
    assert {len(row) for row in csv.reader(io.StringIO(texts["csv"]))} == {6}
    yaml = pytest.importorskip("yaml")
    assert len(yaml.load(texts["yaml"][:2000].rpartition("- id")[0], yaml.CSafeLoader)) > 5
