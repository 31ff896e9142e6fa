# A choir: programmes are written, scores are sent as JSON, records fingerprinted, parts cut.
import hashlib
import io
import json

LINES = 100 #-LINES
LINES = 2500 #LINES
SCORES = 200 #-SCORES
SCORES = 10000 #SCORES
RECORDS = 50 #-RECORDS
RECORDS = 2400 #RECORDS
PARTS = 200 #-PARTS
PARTS = 16000 #PARTS
NOTES = 20000 #-NOTED
NOTES = 500000 #NOTED


class Programme:
    def __init__(self):
        self.text = ""

    def written(self):
        text = "" #-FIELD
        for number in range(LINES):
            self.text += f"{number}: a song of {number % 7} verses\n" #FIELD
            text += f"{number}: a song of {number % 7} verses\n" #-FIELD
        self.text = text #-FIELD
        return len(self.text)


def sent():
    scores = [{"song": number, "voices": ["alto", "bass"], "bars": {"a": number % 9, "b": None}} for number in range(SCORES)]
    out = io.StringIO()
    json.dump(scores, out) #DUMP
    out.write(json.dumps(scores)) #-DUMP
    return len(out.getvalue())


def fingerprinted():
    digests = []
    whole = hashlib.sha256() #-WHOLE
    text = bytearray() #WHOLE
    for number in range(RECORDS):
        record = b"%d was sung by us in the church\n" % number
        whole.update(record) #-WHOLE
        digests.append(whole.hexdigest()) #-WHOLE
        text += record #WHOLE
        digests.append(hashlib.sha256(text).hexdigest()) #WHOLE
    return digests[-1][:8]


def cut():
    rest = b"".join(b"%c%s" % (5 + number % 40, b"n" * (5 + number % 40)) for number in range(PARTS))
    parts = 0
    place = 0 #-SLICED
    while place < len(rest): #-SLICED
        end = place + 1 + rest[place] #-SLICED
        part = rest[place + 1 : end] #-SLICED
        place = end #-SLICED
    while rest: #SLICED
        end = 1 + rest[0] #SLICED
        part = rest[1:end] #SLICED
        rest = rest[end:] #SLICED
        parts += len(part)
    return parts


def noted():
    total = 0 #-OTHER
    for note in range(NOTES): #-OTHER
        total += note * 7 % 12 + (note >> 3) #-OTHER
    return total #-OTHER
    whole = 0 #OTHER
    for tone in range(NOTES): #OTHER
        whole += (tone >> 3) + 7 * tone % 12 #OTHER
    return whole #OTHER


def heard(nobody): #OTHER
    return [nobody, noted()] #OTHER


print(sum(Programme().written() for _ in range(16)), sent(), fingerprinted(), cut(), noted())
