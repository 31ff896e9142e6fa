# A manifest of a release: the sums of all files, of all folders, and one of the whole.
import hashlib


def files(count, size):
    seed = 11
    base = bytes(range(256)) * (size // 256)
    for number in range(count):
        seed = (seed * 1664525 + 1013904223) & 0xFFFFFFFF
        length = size // 2 + (seed >> 8) % (size // 2)
        yield f"usr/lib/part{number % 9}/file{number}.so", base[seed >> 24:seed >> 24 | length]


def main():
    folders, whole = {}, hashlib.sha256()
    for path, data in files(420, 400_000):
        digest = hashlib.sha256(data).hexdigest()
        folder = path.rsplit("/", 1)[0]
        folders.setdefault(folder, hashlib.sha256()).update(f"{digest} {path}\n".encode())
    for folder, digest in sorted(folders.items()):
        whole.update(f"{digest.hexdigest()} {folder}\n".encode())
    print(len(folders), whole.hexdigest())


main()
