/* A checksum, bit by bit. */
unsigned checksum(const unsigned char *data, unsigned length)
{
    unsigned sum = ~0u;
    for (unsigned i = 0; i < length; i++) {
        sum ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            sum = (sum >> 1) ^ (0xEDB88320u & -(sum & 1));
    }
    return ~sum;
}
