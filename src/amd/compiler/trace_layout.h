/* Values that the functions of a ray tracing pipeline hand each other, and the places of the driver's values at its
 * start. Numbers alone, in bytes.
 *
 * Functions are the shaders of the six stages, each compiled alone, and the traversal (trace_traversal.c), which there
 * is one of for a device. They call one another by address (stack_call) and find words at the start of their frame
 * (load_incoming) that the caller has put there (store_outgoing). Payloads, attributes and callable data stay in the
 * private memory of who has the variable: what is handed over is their address in the stack.
 *
 *     entry ──> raygen ──> traversal ──> any hit              a triangle that is not opaque
 *                  │           ├───────> intersection ──> any hit    a box; a hit that it reports
 *                  │           └───────> closest hit or miss         ──> traversal, callable
 *                  └─────> callable
 *
 * The entry, which calls the ray generation shaders, is the back end's (function.h). */
#ifndef AMD_COMPILER_TRACE_LAYOUT_H
#define AMD_COMPILER_TRACE_LAYOUT_H

/* ---- words of a shader's frame ---- */

#define TRACE_CALL_RECORD 0      /* 64 bits: the address of the shader's record */
#define TRACE_CALL_RAY 8         /* where the ray's block lies in the stack; not of raygen and callable */
#define TRACE_CALL_DATA 12       /* where the payload or the callable data lies in the stack; not of raygen */
#define TRACE_CALL_ATTRIBUTES 16 /* where the attributes of the hit lie in the stack; of any hit and closest hit */
#define TRACE_CALL_VERDICT 20    /* enum ir_ray_verdict: 0 before the call, what an any-hit shader says after it */

/* ---- words of the traversal's frame: what OpTraceRayKHR says ---- */

#define TRACE_RAY_STRUCTURE 0 /* 64 bits: an address */
#define TRACE_RAY_FLAGS 8     /* SPIR-V's, as the shader gave them */
#define TRACE_RAY_MASK 12
#define TRACE_RAY_OFFSET 16 /* of records */
#define TRACE_RAY_STRIDE 20
#define TRACE_RAY_MISS 24
#define TRACE_RAY_SKIP 28 /* flags that the pipeline adds, which no shader sees */
#define TRACE_RAY_FROM 32 /* origin, least distance */
#define TRACE_RAY_TO 48   /* direction, greatest distance */
#define TRACE_RAY_PAYLOAD 64

/* Of the last three words of OpTraceRayKHR and of its mask only so many bits count. */
#define TRACE_MASK_BITS 8
#define TRACE_RECORD_BITS 4
#define TRACE_MISS_BITS 16

/* ---- a ray's block: the first bytes of the traversal's private memory ----
 *
 * It is written before every call: the candidate for any-hit and intersection shaders, what is met for the last
 * call. */

#define TRACE_BLOCK_FLAGS 0
#define TRACE_BLOCK_MASK 4
#define TRACE_BLOCK_T_MIN 8
#define TRACE_BLOCK_T 12 /* the greatest distance; for any-hit and closest-hit shaders that of the hit */
#define TRACE_BLOCK_ORIGIN 16
#define TRACE_BLOCK_DIRECTION 28
#define TRACE_BLOCK_INSTANCE 40 /* 64 bits: the address of the instance's leaf (ray_layout.h) */
#define TRACE_BLOCK_LEAF 48     /* 64 bits: that of the primitive's */
#define TRACE_BLOCK_PRIMITIVE 56
#define TRACE_BLOCK_GEOMETRY 60
#define TRACE_BLOCK_HIT_KIND 64
/* An intersection shader's part of the block where it reports a hit, and the record of hits that counted. */
#define TRACE_BLOCK_ANY_HIT 72         /* 64 bits: code, 0: none, or the box is opaque */
#define TRACE_BLOCK_ACCEPTED 80        /* 1: a hit counted; T is its distance */
#define TRACE_BLOCK_ENDED 84           /* 1: and it was the last */
#define TRACE_BLOCK_MET_KIND 88        /* its kind */
#define TRACE_BLOCK_WEIGHTS 96         /* attributes of a triangle that is a candidate */
#define TRACE_BLOCK_MET_ATTRIBUTES 112 /* of what is met: IR_MAX_ATTRIBUTES_B */
#define TRACE_BLOCK_SIZE 144

/* SPIR-V's numbers. */
#define TRACE_FLAG_TERMINATE_ON_FIRST_HIT 0x4
#define TRACE_FLAG_SKIP_CLOSEST_HIT 0x8
#define TRACE_FLAG_SKIP_TRIANGLES 0x100
#define TRACE_FLAG_SKIP_BOXES 0x200
#define TRACE_KIND_FRONT 0xfe
#define TRACE_KIND_BACK 0xff

/* ---- the stack's first bytes ---- */

#define TRACE_STACK_LAUNCH_ID 0 /* three words, which the entry writes */

/* ---- what the driver writes ---- */

/* A group's handle, the start of a record. An address of 0: there is no such shader. */
#define TRACE_HANDLE_GENERAL 0 /* 64 bits: raygen, miss, callable; closest hit of a hit group */
#define TRACE_HANDLE_ANY_HIT 8
#define TRACE_HANDLE_INTERSECTION 16
#define TRACE_HANDLE_SIZE 32

/* The tables that trace_tables points to: VkTraceRaysIndirectCommand2KHR, of which trace_size may point to the end.
 * Addresses of tables are 64 bits at multiples of four; 0: there is no such table, and none of its shaders runs. */
#define TRACE_TABLES_MISS 16
#define TRACE_TABLES_HIT 40
#define TRACE_TABLES_CALLABLE 64
#define TRACE_TABLE_STRIDE 16 /* after a table's address; the upper half of the 64 bits is 0 */

#endif
