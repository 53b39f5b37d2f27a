/* What random_sp.c and random_sp_whole.c have in common. */
#ifndef ADRENO_MODEL_SP_TESTS_RANDOM_SP_H
#define ADRENO_MODEL_SP_TESTS_RANDOM_SP_H

#include "adreno/hw/descriptors.h"
#include "adreno/model/hlsq/hlsq.h"
#include "adreno/model/sp/code.h"
#include "adreno/model/sp/sp.h"
#include "model/exec/tests/random_code.h"

#define BASE_VA 0x100000000ull
#define SIZE_B 0x10000u
#define DATA_B 0x8000u /* where the buffer begins */
#define ELEMENTS 200u
#define LOCAL_B 0xc000u
#define OWN_B 0x1000u /* lanes store from here on, 256 bytes each */

/* Of programs that run as a whole: lanes store to buffers from here on, 64 bytes each. */
#define WHOLE_B 0xc000u
#define WHOLE_SIZE_B (128 * 64 + 256)

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

struct worker {
    struct adreno_sp *sp;
    struct adreno_stage_state state;
    uint8_t local[LOCAL_B];
    struct adreno_wave *wave;
};

struct random_rig {
    struct gpu_space space;
    uint8_t *memory;
    int fd;
    uint32_t ibos[ADRENO_MAX_IBOS][ADRENO_DESCRIPTOR_DW];
    uint32_t constants[ADRENO_WAVE_CONSTANTS_DW];
    struct worker plain, host;
    struct adreno_launch launch;
    struct lane_mask lanes;
    uint32_t from;
    bool is_whole; /* the program can run as a whole */
    uint32_t whole_memory[3]
                         [WHOLE_SIZE_B / 4]; /* what is left: of micro-operations, of host code, of the whole program */
};
extern struct random_rig random_rig;
#define rig random_rig

/* Texts of operands, in turn: each lasts for a line. */
const char *random_operand(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *random_integer(void);
const char *random_float(void);

/* A descriptor of dwords. */
void random_set_buffer(unsigned number, uint64_t va, uint32_t elements);

/* Registers before the program begins. */
void random_fill(struct adreno_wave *wave);

/* Of programs that run as a whole: what they run on, stores and loads, ways through them, running them once more. */
void random_whole_begin(void);
void random_whole_fill_memory(void);
void random_whole_open(void);
void random_whole_memory(void);
void random_whole_predicated(void (*straight)(unsigned count));
bool random_whole_run(void);

#endif
