/* Random instructions of Adreno's, for programs of any stage: what is in which register, and what they are made of.
 *
 * Which NaN an operation makes is the host's: floats are in registers of their own, which nothing reads as integers. */
#ifndef ADRENO_MODEL_SP_TESTS_RANDOM_OPS_H
#define ADRENO_MODEL_SP_TESTS_RANDOM_OPS_H

#include "model/exec/tests/random_code.h"

/* Components: integers, among them halves; floats; halves of floats. */
enum {
    INTEGERS = 0,
    INTEGER_COUNT = 12,
    ADDRESS = 13, /* r3.y: for loads */
    OWN = 14,     /* r3.z: the lane's own bytes */
    ROUND = 15,   /* r3.w: of a loop */
    FLOATS = 16,
    FLOAT_COUNT = 12,
    HALVES = 32, /* r8 and r9: hr16.x ... */
    HALF_COUNT = 8,
    SHUFFLES = 44, /* r11 and r12: of shuffles; r12.x and r12.y stay as they are */
    COMPONENTS = 52,
    LOCAL_ID = 52,  /* r13.x to r13.z: of whole programs */
    LINEAR_ID = 55, /* r13.w: the same */
    GROUP_ID = 196, /* r49.x to r49.z: the same */
    SHARED = 200,   /* r50.x: of shuffles */
};

#define say(...) (random_say(__VA_ARGS__), random_say("\n"))
#define ONE_OF(table) (table[random_below(sizeof(table) / sizeof(table[0]))])

/* Texts of operands, in turn: each lasts for a line. */
const char *random_operand(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *random_integer(void);
const char *random_float(void);

/* An instruction of each lane alone; one that reads what another lane of the quad has, whether that runs or not. */
void random_ops_add(void);
void random_ops_add_quad(void);

/* Of struct random_isa. */
void random_ops_open_if(unsigned depth, unsigned id);
void random_ops_other(unsigned depth, unsigned id);
void random_ops_close_if(unsigned depth, unsigned id, bool has_other);
void random_ops_open_loop(unsigned depth, unsigned id, bool is_own);
void random_ops_leave(unsigned depth, unsigned id);
void random_ops_close_loop(unsigned depth, unsigned id, bool is_own);

/* A descriptor of dwords. */
void random_ops_pack_buffer(uint32_t *words, uint64_t va, uint32_t elements);

/* Equality that ignores the payload of a NaN. */
bool random_is_nan(uint32_t bits);
bool random_is_same(unsigned component, uint32_t a, uint32_t b);

#endif
