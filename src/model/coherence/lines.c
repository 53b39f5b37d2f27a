/* See lines.h. */
#include "model/coherence/lines.h"

#include <stdatomic.h>
#include <stdlib.h>

#define TREE_BITS 12
#define TREE_ENTRIES (1u << TREE_BITS)

struct tree_leaf {
    _Atomic(struct line_page *) pages[TREE_ENTRIES];
};

struct tree_node {
    _Atomic(struct tree_leaf *) leaves[TREE_ENTRIES];
};

struct lines {
    _Atomic(struct tree_node *) nodes[TREE_ENTRIES];
};

static unsigned entry(uint64_t va, unsigned level)
{
    return (unsigned)(va >> (LINES_PAGE_SHIFT + TREE_BITS * level)) & (TREE_ENTRIES - 1);
}

struct lines *lines_create(void)
{
    return calloc(1, sizeof(struct lines));
}

static void destroy_leaf(struct tree_leaf *leaf)
{
    for (unsigned i = 0; i < TREE_ENTRIES; i++) {
        struct line_page *page = atomic_load(&leaf->pages[i]);
        if (!page)
            continue;
        pthread_mutex_destroy(&page->lock);
        free(page);
    }
    free(leaf);
}

void lines_destroy(struct lines *lines)
{
    for (unsigned i = 0; lines && i < TREE_ENTRIES; i++) {
        struct tree_node *node = atomic_load(&lines->nodes[i]);
        for (unsigned n = 0; node && n < TREE_ENTRIES; n++) {
            struct tree_leaf *leaf = atomic_load(&node->leaves[n]);
            if (leaf)
                destroy_leaf(leaf);
        }
        free(node);
    }
    free(lines);
}

struct line_page *lines_find(const struct lines *lines, uint64_t va)
{
    struct tree_node *node = atomic_load_explicit(&lines->nodes[entry(va, 2)], memory_order_acquire);
    struct tree_leaf *leaf = node ? atomic_load_explicit(&node->leaves[entry(va, 1)], memory_order_acquire) : NULL;
    return leaf ? atomic_load_explicit(&leaf->pages[entry(va, 0)], memory_order_acquire) : NULL;
}

/* The page in a place of the tree, or `made` if there is none; another thread may have been first, and then `made`
 * is not needed. */
#define SETTLE(place, made)                                                                                            \
    __extension__({                                                                                                    \
        __typeof__(made) is_there = NULL;                                                                              \
        if ((made) && !atomic_compare_exchange_strong((place), &is_there, (made)))                                     \
            free(made);                                                                                                \
        else                                                                                                           \
            is_there = (made);                                                                                         \
        is_there;                                                                                                      \
    })

struct line_page *lines_open(struct lines *lines, uint64_t va)
{
    struct line_page *page = lines_find(lines, va);
    if (page)
        return page;
    struct tree_node *node = atomic_load(&lines->nodes[entry(va, 2)]);
    if (!node) {
        struct tree_node *made = calloc(1, sizeof(*made));
        node = SETTLE(&lines->nodes[entry(va, 2)], made);
    }
    struct tree_leaf *leaf = node ? atomic_load(&node->leaves[entry(va, 1)]) : NULL;
    if (node && !leaf) {
        struct tree_leaf *made = calloc(1, sizeof(*made));
        leaf = SETTLE(&node->leaves[entry(va, 1)], made);
    }
    struct line_page *made = leaf ? calloc(1, sizeof(*made)) : NULL;
    if (!made)
        return NULL;
    pthread_mutex_init(&made->lock, NULL);
    return SETTLE(&leaf->pages[entry(va, 0)], made);
}

void line_put(struct line *line, const struct line_write *write)
{
    struct line_write *to = NULL, *oldest = &line->writes[0];
    for (unsigned i = 0; i < LINES_WRITES; i++) {
        struct line_write *old = &line->writes[i];
        if (old->bytes && old->time == write->time && old->client == write->client && old->view == write->view) {
            to = old;
            continue;
        }
        old->bytes &= ~write->bytes;
        if (!old->bytes && !to)
            to = old;
        if (old->time < oldest->time)
            oldest = old;
    }
    line->forgotten &= ~write->bytes;
    if (!to) {
        to = oldest;
        line->forgotten |= oldest->bytes;
    }
    if (to->bytes && to->time == write->time && to->client == write->client && to->view == write->view)
        to->bytes |= write->bytes;
    else
        *to = *write;
}
