/* The shared part of the lowering of ray stages and of the traversal: calls, tables, records. */
#ifndef AMD_COMPILER_LOWER_AMD_TRACE_H
#define AMD_COMPILER_LOWER_AMD_TRACE_H

#include "amd/compiler/lower_amd.h"
#include "amd/compiler/trace_layout.h"

/* A call of a shader as it is put together: NULL words are not written. */
struct trace_call {
    struct ir_value *code;   /* 64 bits; 0: no call */
    struct ir_value *record; /* 64 bits */
    struct ir_value *ray, *data, *attributes;
    bool has_verdict;
};
/* The verdict, or NULL. */
struct ir_value *amd_trace_call(struct ir_builder *b, const struct trace_call *call);

/* The record of a table (TRACE_TABLES_*), by number; 0 where there is no table. */
struct ir_value *amd_trace_record(struct ir_builder *b, uint32_t table_B, struct ir_value *index);
/* An address of a record's handle; 0 of no record. */
struct ir_value *amd_trace_code(struct ir_builder *b, struct ir_value *record, uint32_t handle_B);

/* lower_amd_ray.c: what an instance's or a triangle's leaf has, which lies at the address. */
void amd_ray_node_value(struct ir_builder *b, struct ir_value *address, enum ir_ray_value what,
                        struct ir_value *out[12]);

#endif
