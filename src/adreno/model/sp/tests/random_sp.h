/* The common part of random_sp.c and random_sp_whole.c. */
#ifndef ADRENO_MODEL_SP_TESTS_RANDOM_SP_H
#define ADRENO_MODEL_SP_TESTS_RANDOM_SP_H

#include "adreno/hw/descriptors.h"
#include "adreno/model/hlsq/hlsq.h"
#include "adreno/model/sp/code.h"
#include "adreno/model/sp/sp.h"
#include "adreno/model/sp/tests/random_ops.h"

#define BASE_VA 0x100000000ull
#define SIZE_B 0x10000u
#define DATA_B 0x8000u /* where the buffer begins */
#define ELEMENTS 200u
#define LOCAL_B 0xc000u
#define OWN_B 0x1000u /* lanes store from here on, 256 bytes each */

/* Of programs that run as a whole: lanes store to buffers from here on, 64 bytes each. */
#define WHOLE_B 0xc000u
#define WHOLE_SIZE_B (128 * 64 + 256)

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
