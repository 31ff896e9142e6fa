"""Is the interpreter's loop found in stripped programs, and none where there is none?"""
