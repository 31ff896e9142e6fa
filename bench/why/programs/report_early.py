"""Writes a line of a report; mails and fetches when asked to."""

import asyncio
import decimal
import email.message
import http.client
import json
import multiprocessing.pool
import sys
import unittest.mock
import xml.dom.minidom


def main(words):
    if "mail" in words:
        print(email.message.EmailMessage(), unittest.mock.Mock(), asyncio.Event())
    if "fetch" in words:
        print(http.client.HTTPSConnection, xml.dom.minidom.parse, multiprocessing.pool.ThreadPool)
    print(json.dumps({"words": len(words), "price": str(decimal.Decimal("2.50"))}))


main(sys.argv[1:])
