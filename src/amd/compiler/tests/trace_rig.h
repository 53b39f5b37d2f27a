/* Ray tracing pipelines as functions, for tests: structures and tables in memory, small shaders of every stage that
 * write down in the payload that they ran and what they saw, and the interpreter, which runs them with the traversal.
 * Structures lie in memory as ray_layout.h has them, but a ray meets what nodes say that it meets: no geometry, so that
 * Vulkan's rules of calls, tables and hits alone are judged. */
#ifndef AMD_COMPILER_TESTS_TRACE_RIG_H
#define AMD_COMPILER_TESTS_TRACE_RIG_H

#include "amd/compiler/trace_layout.h"
#include "compiler/ir/tests/ir_test.h"

#define LANES 4
#define MAX_LOG 31

/* ---- memory that shaders read, by offset ---- */

#define TABLES 0u /* TRACE_TABLES_* */
#define SIZE 0x80u

void trace_put(uint32_t at_B, uint32_t word);
void trace_put_address(uint32_t at_B, uint64_t address);
/* A structure begins with its header and root, which has no children yet. They are met in the order in which they are
 * added, four at most. */
uint32_t trace_add_structure(void);
/* A negative distance is that of a triangle that is seen from behind. */
void trace_add_triangle(uint32_t structure_B, float t, uint32_t primitive, uint32_t geometry, bool is_opaque);
void trace_add_box(uint32_t structure_B, uint32_t primitive, bool is_opaque);
/* Twice as large and moved by 1, 2, 3, as seen from the object; the way back is the numbers 10 to 21. */
void trace_add_instance(uint32_t top_B, uint32_t structure_B, uint32_t index, uint32_t record);

/* ---- shaders ---- */

enum {
    CODE_TRAVERSAL = 0x1000,
    CODE_ANY_HIT = 0x2000,
    CODE_INTERSECTION = 0x3000,
    CODE_CLOSEST_HIT = 0x4000,
    CODE_MISS = 0x5000,
    CODE_CALLABLE = 0x6000,
};

/* Words of a record's data: what its shaders shall do. */
enum {
    RECORD_NUMBER,
    RECORD_VERDICTS, /* of any-hit shaders: two bits for each primitive */
    RECORD_T,        /* of intersection shaders: hits at two distances; 0: none */
    RECORD_T_2,
    RECORD_RAY, /* of closest-hit shaders: 1: another ray is sent */
    RECORD_WORDS
};

/* The log's entries of each shader, before the values that it saw. */
enum {
    LOG_ANY_HIT = 0x10000,
    LOG_INTERSECTION = 0x20000,
    LOG_CLOSEST_HIT = 0x30000,
    LOG_MISS = 0x40000,
};

void trace_put_record(uint32_t number, uint64_t general, uint64_t any, uint64_t intersect);
void trace_set_record(uint32_t number, uint32_t record_word_number, uint32_t value);

/* One word more for the log. */
void trace_note(struct ir_builder *b, struct ir_value *value);
/* The first component. */
struct ir_value *trace_hit(struct ir_builder *b, enum ir_ray_value value);

/* ---- a run ---- */

struct trace_scene {
    uint32_t structure_B; /* 0: none */
    uint32_t rules[5];    /* of the ray */
    double t_min, t_max;  /* t_max 0: 100 */
    bool miss_by_lane;    /* the number of the miss shader is the lane's */
    bool skips_triangles, skips_boxes;
    uint32_t callable;                  /* number + 1 of one that is called after the ray */
    void (*look)(struct ir_builder *b); /* instead of the closest-hit shader */
    bool is_optimised;
};

/* Everything empty but the tables: records 0 to 15 are hit groups with all shaders, 16 to 23 miss, 24 to 31
 * callable. */
int trace_prepare(void **state);
/* Of a bottom structure; its records begin with the first. */
struct trace_scene trace_one_instance(uint32_t bottom_B);
/* By lane: how many words the log has, and the words; the last is the callable data afterwards. */
extern uint32_t trace_results[LANES][MAX_LOG + 1];
void trace_run(const struct trace_scene *scene);
/* Lane 0's log is this, with and without optimisation. */
void trace_expect_words(const struct trace_scene *scene, uint32_t count, const uint32_t *words);
#define expect(scene, ...)                                                                                             \
    trace_expect_words(scene, sizeof((uint32_t[]){__VA_ARGS__}) / 4, (const uint32_t[]){__VA_ARGS__})

#endif
