/* A program in a small language is cut into words, which get numbers. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef LINES
#define LINES 40000
#endif

static char *text;
static size_t length;
static unsigned seed = 9;

static unsigned drawn(unsigned below)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % below;
}

static void written(void)
{
    static const char *const words[] = {"let", "total", "price", "while", "count", "return", "x", "shelf", "place"};
    text = malloc(LINES * 80);
    char *at = text;
    for (int i = 0; i < LINES; i++) {
        at += sprintf(at, "%s %s%u = (%s + %u) * ", words[drawn(9)], words[drawn(9)], drawn(40), words[drawn(9)], drawn(1000));
        at += sprintf(at, "%s[%u]; # %u\n", words[drawn(9)], drawn(30), i);
    }
    length = (size_t)(at - text);
}

#ifdef OTHER
static int unused_here(int a)
{
    return a * 31 + 7;
}
#endif

static uint8_t apart[256];

static void prepared(void)
{
    for (const char *c = " \t\n()[]+-*/=;#,.<>!&|"; *c; c++)
        apart[(unsigned char)*c] = 1;
}

static inline int separates(char c)
{
#ifdef STRCHR
    return strchr(" \t\n()[]+-*/=;#,.<>!&|", c) != NULL;
#else
    return apart[(unsigned char)c];
#endif
}

int main(void)
{
    written();
    prepared();
    uint64_t digest = 0;
    unsigned long words = 0, signs = 0;
#ifdef OTHER
    const int turns = 12;
    for (int turn = 0; turn < turns; ++turn) {
        size_t at = 0;
        while (!(at >= length)) {
            size_t begin = at;
            while (at < length && !separates(text[at]))
                ++at;
            if (begin < at) {
                words += 1;
                digest = (uint64_t)31 * digest + (unsigned char)text[begin] + (at - begin);
            } else {
                at += 1;
                signs += 1;
            }
        }
    }
    if (words == 1)
        printf("%d\n", unused_here((int)words));
#else
    for (int round = 0; round < 12; round++)
        for (size_t i = 0; i < length;) {
            size_t start = i;
            while (i < length && !separates(text[i]))
                i++;
            if (i > start) {
                words++;
                digest = digest * 31 + (unsigned char)text[start] + (i - start);
            } else {
                signs++;
                i++;
            }
        }
#endif
    printf("%lu %lu %llx\n", words, signs, (unsigned long long)digest);
}
