"""whyfast: is it really faster, compared with what, why, and since when?"""

__version__ = "0.1.0"
