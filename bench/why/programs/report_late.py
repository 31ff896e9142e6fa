"""Writes a line of a report; mails and fetches when asked to."""

import decimal
import json
import sys


def main(words):
    if "mail" in words:
        import asyncio
        import email.message
        import unittest.mock

        print(email.message.EmailMessage(), unittest.mock.Mock(), asyncio.Event())
    if "fetch" in words:
        import http.client
        import multiprocessing.pool
        import xml.dom.minidom

        print(http.client.HTTPSConnection, xml.dom.minidom.parse, multiprocessing.pool.ThreadPool)
    print(json.dumps({"words": len(words), "price": str(decimal.Decimal("2.50"))}))


main(sys.argv[1:])
