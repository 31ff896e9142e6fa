"""A small server on this machine that answers questions of fixed form, and a client that asks it."""

import socket
import struct
import threading

HEAD = struct.Struct("!HI")


def receive(connection, size):
    data = b""
    while len(data) < size:
        part = connection.recv(size - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def checksum(data):
    value = 0
    for byte in data:
        value = (value * 31 + byte) % 65521
    return value


def serve(listener):
    connection, _ = listener.accept()
    with connection:
        try:
            while True:
                kind, size = HEAD.unpack(receive(connection, HEAD.size))
                body = receive(connection, size)
                value = checksum(body) if kind == 1 else len(body)
                connection.sendall(HEAD.pack(kind, value))
        except EOFError:
            pass


class Client:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))

    def ask(self, kind, body):
        self.socket.sendall(HEAD.pack(kind, len(body)))  #TWICE
        self.socket.sendall(body)  #TWICE
        self.socket.sendall(HEAD.pack(kind, len(body)) + body)  #-TWICE
        return HEAD.unpack(receive(self.socket, HEAD.size))[1]

    def close(self):
        self.socket.close()


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    server = threading.Thread(target=serve, args=(listener,))
    server.start()
    client = Client(listener.getsockname()[1])
    total = 0
    for number in range(9):
        body = bytes((number * i) % 251 for i in range(60000 + number))
        if client.ask(1, body) == checksum(body):
            total += client.ask(2, body[:200]) if number % 4 == 0 else number
    client.close()
    server.join()
    listener.close()
    print(total)


if __name__ == "__main__":
    main()
