"""Waits until a result is there."""

import time


class Job:
    def __init__(self):
        self.left = 30

    def done(self):
        self.left -= 1
        return self.left <= 0


def wait(job, pause):
    while not job.done():
        time.sleep(pause)


wait(Job(), 0.005)
print("done")
