"""Converts distances in a list from miles to kilometres, as a small command."""

import argparse
import asyncio  #ALL
import email.mime.multipart  #ALL
import http.server  #ALL
import logging.config  #ALL
import multiprocessing.pool  #ALL
import sqlite3  #ALL
import sys
import unittest.mock  #ALL
import urllib.request  #ALL
import xml.dom.minidom  #ALL


def converted(lines):
    for line in lines:
        place, miles = line.split(";")
        yield f"{place};{float(miles) * 1.609344:.1f}"


def main(argv):
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=50000)
    count = parser.parse_args(argv).count
    lines = [f"place {i};{i * 7 % 1000 / 10}" for i in range(count)]
    print(sum(len(line) for line in converted(lines)))


main(sys.argv[1:])
