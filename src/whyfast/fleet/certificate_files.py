"""The files in a folder of certificates."""

from __future__ import annotations

#: One certificate for all of a fleet, and its key.
CERTIFICATE, KEY = "fleet.pem", "fleet-key.pem"
