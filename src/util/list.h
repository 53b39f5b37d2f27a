/* An intrusive doubly linked list. The head is a node that belongs to no element; an initialised node points at itself,
 * so that removing twice is harmless. */
#ifndef UTIL_LIST_H
#define UTIL_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list {
    struct list *prev;
    struct list *next;
};

#define container_of(pointer, type, member) ((type *)((char *)(pointer)-offsetof(type, member)))

static inline void list_init(struct list *node)
{
    node->prev = node->next = node;
}

static inline bool list_is_empty(const struct list *head)
{
    return head->next == head;
}

static inline void list_insert_after(struct list *place, struct list *node)
{
    node->prev = place;
    node->next = place->next;
    place->next->prev = node;
    place->next = node;
}

static inline void list_push_front(struct list *head, struct list *node)
{
    list_insert_after(head, node);
}

static inline void list_push_back(struct list *head, struct list *node)
{
    list_insert_after(head->prev, node);
}

static inline void list_remove(struct list *node)
{
    node->prev->next = node->next;
    node->next->prev = node->prev;
    list_init(node);
}

/* Move all of `from` to the end of `head`; `from` is empty afterwards. */
static inline void list_splice_back(struct list *head, struct list *from)
{
    if (list_is_empty(from))
        return;
    from->next->prev = head->prev;
    head->prev->next = from->next;
    from->prev->next = head;
    head->prev = from->prev;
    list_init(from);
}

/* The loop variable is the element; the next one is taken first, so that the element may be removed in the body. The
 * head is never taken for an element: it need not have an element's alignment. The outer loop runs once, for a second
 * variable; `break` and `continue` are the inner one's. */
#define list_foreach(head, type, element, member)                                                                      \
    for (type *element = NULL, **element##_once = &element; element##_once; element##_once = NULL)                     \
        for (struct list *element##_next = (head)->next;                                                               \
             element##_next != (head) &&                                                                               \
             (element = container_of(element##_next, type, member), element##_next = element##_next->next, true);)

#endif
