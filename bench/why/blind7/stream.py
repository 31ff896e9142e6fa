# Sends records of a measuring station through a packed stream, and reads them at the other end.
import hashlib
import json
import zlib


def records(count):
    seed = 3
    for number in range(count):
        seed = (seed * 1664525 + 1013904223) & 0xFFFFFFFF
        yield {"station": f"north-{seed >> 29}", "number": number, "wind": (seed >> 16) % 400 / 10,
               "rain": (seed >> 20) % 5, "state": ("ok", "ok", "check", "off")[seed >> 30]}


class Sender:
    def __init__(self, level):
        self.packer = zlib.compressobj(level)
        self.sent = 0

    def send(self, record, last):
        line = json.dumps(record).encode() + b"\n"
        data = self.packer.compress(line)
        data += self.packer.flush(zlib.Z_SYNC_FLUSH) #FLUSH
        if last:
            data += self.packer.flush(zlib.Z_FINISH)
        self.sent += len(data)
        return data


class Receiver:
    def __init__(self):
        self.unpacker = zlib.decompressobj()
        self.digest = hashlib.sha256()
        self.rest = b""
        self.lines = 0

    def receive(self, data):
        if not data:
            return
        text = self.rest + self.unpacker.decompress(data)
        *lines, self.rest = text.split(b"\n")
        for line in lines:
            self.digest.update(line)
            self.lines += 1


def main():
    count = 16000
    sender, receiver = Sender(6), Receiver()
    for record in records(count):
        receiver.receive(sender.send(record, record["number"] == count - 1))
    print(receiver.lines, receiver.digest.hexdigest())


main()
