// Appends transactions with a checksum each to a journal.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define RECORDS 50
#define SIZE 60000

static uint32_t checksum(const unsigned char *bytes, size_t size) {
    uint32_t crc = ~0u;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
        }
    }
    return ~crc;
}

int main(void) {
    char name[] = "journal-XXXXXX";
    int file = mkstemp(name);
    if (file < 0) {
        perror(name);
        return 1;
    }
    unlink(name);
    static unsigned char record[SIZE + 4];
    unsigned state = 5;
    uint32_t last = 0;
    for (int i = 0; i < RECORDS; i++) {
        for (int j = 0; j < SIZE; j++) {
            state = state * 1664525u + 1013904223u;
            record[j + 4] = state >> 24;
        }
        last = checksum(record + 4, SIZE);
        for (int j = 0; j < 4; j++) {
            record[j] = last >> 8 * j;
        }
        if (write(file, record, sizeof record) != sizeof record) {
            perror("write");
            return 1;
        }
#ifdef EACH
        fsync(file);
#endif
    }
    fsync(file);
    printf("%08x\n", last);
    return 0;
}
