/* Shortest paths from one of 64 nodes of a pseudo-random graph with 6 edges a node, by Dijkstra with
 * a list, and its components, by joining sets: reached << 48 | components << 32 | sum of lengths. */
#include "program.h"

enum { NODES = 64, EDGES = 6, FAR = 0x7fffffff };

struct edge {
    u16 to, cost;
};

struct graph {
    struct edge edges[NODES][EDGES];
    u32 distance[NODES];
    u8 done[NODES];
    u8 set[NODES];
};

static inline __attribute__((always_inline)) u32 set_of(u8 *set, u32 node)
{
    while (set[node] != node) {
        set[node] = set[set[node]];
        node = set[node];
    }
    return node;
}

u64 graph(struct graph *graph, u64 length)
{
    u32 random = 35;
    u64 reached = 0, components = NODES, sum = 0;

    for (u32 i = 0; i < NODES; i++) {
        graph->distance[i] = FAR;
        graph->done[i] = 0;
        graph->set[i] = i;
        for (u32 j = 0; j < EDGES; j++) {
            u32 number = next_random(&random);

            graph->edges[i][j].to = (number >> 24) % NODES & (i < 48 ? ~16u : ~0u);
            graph->edges[i][j].cost = 1 + (number >> 12 & 255);
        }
    }
    for (u32 i = 0; i < NODES; i += 2) {
        u32 a = set_of(graph->set, i), b = set_of(graph->set, graph->edges[i][0].to);

        if (a != b) {
            graph->set[a] = b;
            components--;
        }
    }
    graph->distance[5] = 0;
    for (;;) {
        u32 nearest = NODES, least = FAR;

        for (u32 i = 0; i < NODES; i++)
            if (!graph->done[i] && graph->distance[i] < least) {
                nearest = i;
                least = graph->distance[i];
            }
        if (nearest == NODES)
            break;
        graph->done[nearest] = 1;
        reached++;
        sum += least;
        for (u32 j = 0; j < EDGES; j++) {
            const struct edge *edge = &graph->edges[nearest][j];

            if (least + edge->cost < graph->distance[edge->to])
                graph->distance[edge->to] = least + edge->cost;
        }
    }
    return reached << 48 | components << 32 | sum;
}
