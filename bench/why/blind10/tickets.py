# Tickets: a program that needs many modules of the library.
import argparse, asyncio, calendar, concurrent.futures, configparser, csv, dataclasses, datetime, decimal
import difflib, email.message, fractions, ftplib, gzip, html.parser, http.client, http.server, imaplib, inspect
import json, logging.config, logging.handlers, mailbox, pdb, pickle, pprint, random, sched, shelve, smtplib
import sqlite3, statistics, tarfile, tempfile, textwrap, unittest, urllib.request, uuid, xml.dom.minidom
import xmlrpc.client, zipfile

print(decimal.Decimal(12) / 5, fractions.Fraction(12, 5), textwrap.shorten("a ticket for the evening", 12))
