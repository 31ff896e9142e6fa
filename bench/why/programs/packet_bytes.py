"""Puts packets together to one message."""


def message(packets):
    whole = b""
    for packet in packets:
        whole = whole + packet
    return whole


packets = [bytes([number % 256]) * 40 for number in range(2500)]
print(sum(len(message(packets)) for _ in range(24)))
