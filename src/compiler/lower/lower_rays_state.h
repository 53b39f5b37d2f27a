/* A query while it is lowered: variables for everything that it remembers. Of lower_rays.c and lower_rays_walk.c. */
#ifndef COMPILER_LOWER_LOWER_RAYS_STATE_H
#define COMPILER_LOWER_LOWER_RAYS_STATE_H

#include "compiler/lower/lower_rays.h"

/* Name, bits, components. */
#define RAY_FIELDS(X)                                                                                                           \
    /* As the query began. */                                                                                                   \
    X(TOP, 64, 1)                                                                                                               \
    X(FLAGS, 32, 1) X(MASK, 32, 1) X(T_MIN, 32, 1) X(ORIGIN, 32, 3)                                                             \
        X(DIRECTION, 32, 3) /* The greatest distance, or that of what was met. */                                               \
        X(T, 32, 1)         /* The structure that is walked through, and the ray in its space. */                               \
        X(BASE, 64, 1) X(LEVEL_ORIGIN, 32, 3) X(LEVEL_DIRECTION, 32, 3) X(                                                      \
            LEVEL_INVERSE, 32,                                                                                                  \
            3) /* The node to visit next; how many wait behind it; how many did when the instance was entered, NONE outside. */ \
        X(NODE, 32, 1) X(DEPTH, 32, 1)                                                                                          \
            X(BOTTOM, 32, 1)                        /* The instance that was entered last: its reference and flags. */          \
        X(INSTANCE, 32, 1) X(INSTANCE_FLAGS, 32, 1) /* The candidate. */                                                        \
        X(SEEN_KIND, 32, 1) X(SEEN_T, 32, 1) X(SEEN_U, 32, 1) X(SEEN_V, 32, 1) X(SEEN_FRONT, 32, 1)                             \
            X(SEEN_PRIMITIVE, 32, 1) X(SEEN_GEOMETRY, 32, 1) X(SEEN_OPAQUE, 32, 1)                                              \
                X(SEEN_LEAF, 32, 1) /* The ray's hit. */                                                                        \
        X(MET_KIND, 32, 1) X(MET_U, 32, 1) X(MET_V, 32, 1) X(MET_FRONT, 32, 1) X(MET_PRIMITIVE, 32, 1)                          \
            X(MET_GEOMETRY, 32, 1) X(MET_LEAF, 32, 1) X(MET_INSTANCE, 32, 1)

enum ray_field {
#define X(name, bits, comps) RAY_##name,
    RAY_FIELDS(X)
#undef X
    RAY_FIELD_COUNT
};

/* SPIR-V's numbers. */
enum ray_flags {
    RAY_FLAG_OPAQUE = 0x1,
    RAY_FLAG_NO_OPAQUE = 0x2,
    RAY_FLAG_TERMINATE_ON_FIRST_HIT = 0x4,
    RAY_FLAG_CULL_BACK_FACING = 0x10,
    RAY_FLAG_CULL_FRONT_FACING = 0x20,
    RAY_FLAG_CULL_OPAQUE = 0x40,
    RAY_FLAG_CULL_NO_OPAQUE = 0x80,
    RAY_FLAG_SKIP_TRIANGLES = 0x100,
    RAY_FLAG_SKIP_BOXES = 0x200,
};
enum ray_candidate {
    RAY_CANDIDATE_TRIANGLE = 0,
    RAY_CANDIDATE_BOX = 1,
};
enum ray_committed {
    RAY_COMMITTED_NONE = 0,
    RAY_COMMITTED_TRIANGLE = 1,
    RAY_COMMITTED_GENERATED = 2,
};

struct ray_state {
    struct ir_var *fields[RAY_FIELD_COUNT];
    struct ir_var *waiting; /* references, max_references and three of a query */
    uint32_t stride;        /* of `waiting`, from query to query */
};

/* A query where an instruction of it is replaced. */
struct ray_query {
    struct ir_builder *b;
    const struct lower_rays_machine *machine;
    const struct ray_state *state;
    struct ir_value *element;
    struct ir_var *found; /* what a walk ends with, 1 bit */
};

struct ir_value *ray_load(const struct ray_query *query, enum ray_field field, uint32_t comp);
void ray_store(const struct ray_query *query, enum ray_field field, uint32_t comp, struct ir_value *value);
struct ir_value *ray_const(const struct ray_query *query, uint32_t value);
struct ir_value *ray_has(const struct ray_query *query, struct ir_value *flags, uint32_t mask); /* any of them */
/* A point (`moves`) or a direction through three rows of four. */
void ray_transform(const struct ray_query *query, struct ir_value *const rows[12], struct ir_value *const from[3],
                   bool moves, struct ir_value *out[3]);
void ray_load_vector(const struct ray_query *query, enum ray_field field, struct ir_value *out[3]);
/* The space of the top structure again. */
void ray_enter_top(const struct ray_query *query);
/* The ray in the level's space. */
void ray_enter_level(const struct ray_query *query, struct ir_value *base, struct ir_value *const origin[3],
                     struct ir_value *const direction[3]);
/* The candidate is what is met, as a kind of ray_committed, at a distance; where the flags say so, it is the last. */
void ray_commit(const struct ray_query *query, enum ray_committed kind, struct ir_value *t);

/* lower_rays_walk.c: on to the next candidate; 1 bit. */
struct ir_value *ray_walk(const struct ray_query *query);

#endif
