/* Messages with attachments: each is received in a buffer of its own, looked at and thrown away. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGES 12000

struct message {
    size_t size;
    unsigned char *body;
};

static struct message receive(uint32_t *state)
{
    struct message message;
    *state = *state * 1664525u + 1013904223u;
    message.size = 16384 + (*state >> 16) % 32768;
    message.body = malloc(message.size);
    if (!message.body)
        exit(1);
    memset(message.body, *state >> 24, message.size);
    return message;
}

static unsigned look(const struct message *message)
{
    unsigned sum = 0;
    for (size_t i = 0; i < message->size; i += 512)
        sum = sum * 31 + message->body[i];
    return sum;
}

int main(void)
{
    struct message waiting[8] = {{0, 0}};
    uint32_t state = 1;
    unsigned total = 0;
    for (int i = 0; i < MESSAGES; i++) {
        struct message *slot = &waiting[i % 8];
        free(slot->body);
        *slot = receive(&state);
        total += look(slot);
    }
    for (int i = 0; i < 8; i++)
        free(waiting[i].body);
    printf("%u\n", total);
    return 0;
}
