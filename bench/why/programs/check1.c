/* A checksum, by a table. */
unsigned checksum(const unsigned char *data, unsigned length)
{
    static unsigned table[256];
    if (!table[1])
        for (unsigned i = 0; i < 256; i++) {
            unsigned x = i;
            for (int bit = 0; bit < 8; bit++)
                x = x & 1 ? x >> 1 ^ 0xEDB88320u : x >> 1;
            table[i] = x;
        }
    unsigned sum = ~0u;
    for (unsigned i = 0; i < length; i++)
        sum = table[(sum ^ data[i]) & 255] ^ sum >> 8;
    return ~sum;
}
