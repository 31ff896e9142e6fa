"""Sends jobs to a worker in a thread and waits for the result of each."""

import hashlib
import threading
import time


class Job:
    def __init__(self, number):
        self.number = number
        self.result = None
        self.ready = threading.Event()

    def run(self):
        data = self.number.to_bytes(4, "big") * 4
        self.result = hashlib.pbkdf2_hmac("sha256", data, b"salt", 12000).hex()
        self.ready.set()


def waited(job):
    while job.result is None:  #POLL
        time.sleep(0.02)  #POLL
    job.ready.wait()
    return job.result


def main():
    letters = 0
    for number in range(14):
        job = Job(number)
        thread = threading.Thread(target=job.run)
        thread.start()
        letters += waited(job).count("a")
        thread.join()
    print(letters)


main()
