"""Takes some packages from one place. Python imports this at its start if it is on PYTHONPATH.

``WHYFAST_PACKAGES`` is ``FOLDER:NAME:NAME``. A script's folder, the current one and what pytest
adds all go before PYTHONPATH, and in a checkout they hold the project's package, too: of one
revision, whichever is to be run. Works on Python 3.6 and newer.
"""

import os
import sys
from _frozen_importlib_external import PathFinder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FOLDER, *NAMES = os.environ.get("WHYFAST_PACKAGES", "").split(":")


FIND = PathFinder.find_spec


class FromFolder:
    """Finds those packages; their modules are found by the package itself."""

    @staticmethod
    def find_spec(name: str, path: "Any" = None, target: "Any" = None) -> "Any":
        return FIND(name, [FOLDER]) if name in NAMES else None


def find_spec(cls: "Any", name: str, path: "Any" = None, target: "Any" = None) -> "Any":
    """What pytest asks itself for its plug-ins."""
    return FromFolder.find_spec(name) if name in NAMES else FIND(name, path, target)


sys.meta_path.insert(0, FromFolder)
setattr(PathFinder, "find_spec", classmethod(find_spec))  # noqa: B010
OWN = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [p for p in sys.path if os.path.abspath(p) != OWN]
MINE = sys.modules.pop("sitecustomize", None)
try:
    import sitecustomize  # type: ignore[import-not-found]  # noqa: F401
except ImportError:
    pass
finally:
    if MINE is not None:
        sys.modules.setdefault("sitecustomize", MINE)
