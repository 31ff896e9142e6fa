"""Puts packets together to one message."""


def message(packets):
    parts = []
    for packet in packets:
        parts.append(packet)
    return b"".join(parts)


packets = [bytes([number % 256]) * 40 for number in range(2500)]
print(sum(len(message(packets)) for _ in range(24)))
