# Asks several probes, which are programs of their own, and adds up what they say.
import subprocess
import sys

PROBE = "import time, sys; time.sleep(0.06); print(sum(range(int(sys.argv[1]))))"


def started(number):
    return subprocess.Popen([sys.executable, "-I", "-S", "-c", PROBE, str(1000 * number)], stdout=subprocess.PIPE, text=True)


def asked(count):
    probes = [started(number) for number in range(count)] #-TURNS
    probes = (started(number) for number in range(count)) #TURNS
    return [int(probe.communicate()[0]) for probe in probes]


def weighed(answers):
    total = 0
    for number, answer in enumerate(answers):
        for step in range(20000):
            total = (total * 31 + answer + number * step) % 1000003
    return total


print(weighed(asked(5)))
