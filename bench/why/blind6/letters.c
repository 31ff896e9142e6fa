// Counts letters, words and lines of a file, while a thread stands by to tell the time it took.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef PLAIN
#define next(file) getc(file)
#else
#define next(file) getc_unlocked(file)
#endif

struct watch {
    pthread_mutex_t mutex;
    pthread_cond_t told;
    int ended;
};

struct counts {
    unsigned long letters[26], words, lines, longest;
};

static void *stand_by(void *given) {
    struct watch *w = given;
    pthread_mutex_lock(&w->mutex);
    while (!w->ended)
        pthread_cond_wait(&w->told, &w->mutex);
    pthread_mutex_unlock(&w->mutex);
    return NULL;
}

static void written(FILE *file, int words) {
    unsigned seed = 2;
    for (int i = 0; i < words; i++) {
        char word[16];
        int n = 0;
        seed = seed * 1664525 + 1013904223;
        for (unsigned rest = seed >> 4; rest > 26; rest /= 20)
            word[n++] = (char)('a' + rest % 26);
        word[n++] = i % 11 == 10 ? '\n' : ' ';
        fwrite(word, 1, (size_t)n, file);
    }
}

static void count(FILE *file, struct counts *c) {
    unsigned long length = 0;
    int c1;
    while ((c1 = next(file)) != EOF) {
        if (c1 >= 'a' && c1 <= 'z') {
            c->letters[c1 - 'a']++;
            length++;
            continue;
        }
        c->words += length > 0;
        if (length > c->longest)
            c->longest = length;
        length = 0;
        c->lines += c1 == '\n';
    }
}

int main(void) {
    struct watch w = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
    pthread_t thread;
    FILE *file = tmpfile();
    if (!file || pthread_create(&thread, NULL, stand_by, &w))
        return 1;
    written(file, 700000);
    struct counts c = {0};
    for (int round = 0; round < 20; round++) {
        rewind(file);
        count(file, &c);
    }
    pthread_mutex_lock(&w.mutex);
    w.ended = 1;
    pthread_cond_signal(&w.told);
    pthread_mutex_unlock(&w.mutex);
    pthread_join(thread, NULL);
    printf("%lu words in %lu lines, longest %lu, %lu e\n", c.words, c.lines, c.longest, c.letters[4]);
    return 0;
}
