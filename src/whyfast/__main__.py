"""``python -m whyfast``."""

import sys

from whyfast.cli.main import main

sys.exit(main())
